import { textSettings } from '../text/settings.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { TextRequest } from '../../text/spec.ts'
import { countPromptTokens } from '../../text/tokens.ts'
import { requireModel } from '../models/catalog.ts'
import type { ApiDeps, Behaviour } from '../define/operation.ts'
import { checkLength, Fields, guardFor, isObject } from '../text/fields.ts'
import { prepareImages, type ReceivedImages } from '../text/prepare.ts'
import { detailsOf } from './answer.ts'
import { imageTexts } from './contents.ts'
import { readModalities } from './images.ts'
import { nativeReply } from './models.ts'
import { defineNative, modelOf, upstreamWords, ofModel } from './native-operation.ts'
import { readNativeRequest } from './request.ts'

/**
 * Counts the tokens that a request would cost. Clients send its contents, or the complete request in
 * `generateContentRequest`.
 *
 * @assumed §4.7 counting is undocumented; wire §8.5.
 */
export const textCount = defineNative(
  { name: 'text.count', ...ofModel('read', 'countTokens') },
  (deps: ApiDeps): Behaviour<ReceivedImages, TextRequest> => {
    const { catalog, imageLimitBytes, messageLimit, textLimitCharacters } = deps.use(textSettings)
    const guard = guardFor(deps.quirks, upstreamWords(400))

    return {
      prepare: (body, media) =>
        prepareImages(body, imageTexts(countedRequest(body)['contents']), media, imageLimitBytes),
      parse: (x) => {
        const model = modelOf(x)
        requireModel(catalog, model, 'text')
        return guard(() => {
          const body = countedRequest(x.body)
          const request = readNativeRequest(body, model, x.prepared, messageLimit)
          readModalities(new Fields(body as never, '').within('generationConfig'))
          checkLength(request, textLimitCharacters)
          return request
        })
      },
      respond: ({ work }, request) => {
        const prompt = guard(() => countPromptTokens(request, work))
        return nativeReply({ totalTokens: prompt.total, promptTokensDetails: detailsOf(prompt) })
      },
    }
  },
)

function countedRequest(body: JsonObject): JsonObject {
  const { generateContentRequest: whole } = body
  return isObject(whole) ? whole : body
}
