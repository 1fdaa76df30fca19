import { whenThere } from '../../gateway/awaitable.ts'
import { defineRoute, type Route } from '../../gateway/route.ts'
import type { TextRequest } from '../../text/spec.ts'
import { countPromptTokens } from '../../text/tokens.ts'
import { requireModel } from '../models/catalog.ts'
import { isObject } from '../text/fields.ts'
import { noImages, receiveImages, withDigests, type ReceivedImages } from '../text/images.ts'
import { readingFor } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { detailsOf } from './answer.ts'
import { pictureTexts } from './contents.ts'
import { modelOf } from './describe.ts'
import { nativeRoute, pathsOf, upstreamWords } from './native-route.ts'
import { nativeReply } from './native-reply.ts'
import { readNativeRequest } from './request.ts'
import { checkLength } from '../text/length.ts'

/**
 * Counts what a request would be charged for. Clients send its contents, or all of it in `generateContentRequest`.
 * @assumed §4.7 counting is not shown; wire §8.5.
 */
export function countRoute(settings: TextSurfaceSettings): Route {
  const reading = readingFor(settings.quirks, upstreamWords(400))
  return defineRoute<ReceivedImages, TextRequest>({
    ...nativeRoute(settings),
    operation: 'text.count',
    methods: ['POST'],
    ...pathsOf('countTokens'),
    prepare: (body, media) => {
      const { generateContentRequest: whole } = body
      const texts = pictureTexts(isObject(whole) ? whole['contents'] : body['contents'])
      const received = texts.length === 0 ? noImages : receiveImages(texts, media, settings.imageLimitBytes)
      return whenThere(received, (images) => ({ prepared: images, fields: withDigests(body, images) }))
    },
    validate: ({ body, params, prepared }) => {
      const model = modelOf(params)
      requireModel(settings.catalog, model, 'text')
      const { generateContentRequest: whole } = body
      return reading(() => {
        const request = readNativeRequest(
          isObject(whole) ? whole : body,
          model,
          prepared,
          settings.messageLimit,
        )
        checkLength(request, settings.textLimitCharacters)
        return request
      })
    },
    respond: (request, context) => {
      const prompt = reading(() => countPromptTokens(request, context.request.work))
      return nativeReply({ totalTokens: prompt.total, promptTokensDetails: detailsOf(prompt) })
    },
  })
}
