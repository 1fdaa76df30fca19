import * as z from 'zod/mini'
import { integer } from '../define/operation-schema.ts'
import { textSettings } from '../text/settings.ts'
import type { TextRequest } from '../../text/spec.ts'
import { countPromptTokens } from '../../text/tokens.ts'
import { requireModel } from '../models/catalog.ts'
import type { Behaviour } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { checkLength, guardFor } from '../text/fields.ts'
import { prepareImages, type ReceivedImages } from '../text/prepare.ts'
import { detailsOf } from './answer.ts'
import { modalityTokens } from './answer-schemas.ts'
import { imageTexts } from './contents.ts'
import { countedRequest, countForm, type GenerateBody } from './form.ts'
import { readModalities } from './images.ts'
import { nativeReply } from './refuse.ts'
import { defineNative, modelOf, upstreamWords, ofModel } from './native-operation.ts'
import { readNativeRequest } from './request.ts'

/**
 * Counts the tokens that a request would cost. Clients send its contents, or the complete request in
 * `generateContentRequest`.
 *
 * @assumed §4.7 counting is undocumented; wire §8.5.
 */
export const textCount = defineNative(
  {
    name: 'text.count',
    summary: 'Count tokens',
    ...ofModel('read', 'countTokens'),
    form: countForm,
    schema: () => {
      const counts = { totalTokens: integer, promptTokensDetails: modalityTokens() }
      return { answer: { json: z.object(counts) } }
    },
  },
  (core: Core): Behaviour<ReceivedImages, TextRequest, GenerateBody> => {
    const { catalog, imageLimitBytes, messageLimit, textLimitCharacters } = core.use(textSettings)
    const guard = guardFor(core.quirks, upstreamWords(400))

    return {
      prepare: (body, media) =>
        prepareImages(body, imageTexts(countedRequest(body)['contents']), media, imageLimitBytes),
      guard,
      check: (x) => requireModel(catalog, modelOf(x), 'text'),
      parse: (x, body) => {
        const request = readNativeRequest(body, modelOf(x), x.prepared, messageLimit)
        readModalities(body.generationConfig)
        checkLength(request, textLimitCharacters)
        return request
      },
      respond: ({ budget }, request) => {
        const prompt = guard(() => countPromptTokens(request, budget))
        return nativeReply({ totalTokens: prompt.total, promptTokensDetails: detailsOf(prompt) })
      },
    }
  },
)
