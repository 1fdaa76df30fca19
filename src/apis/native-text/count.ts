import { textSettings } from '../text/settings.ts'
import type { Core } from '../../gateway/core.ts'
import { countBehaviour } from '../text/operation.ts'
import { detailsOf } from './answer.ts'
import { imageTexts } from './contents.ts'
import { countedRequest, countForm, type GenerateBody } from './form.ts'
import { readModalities } from './images.ts'
import { nativeReply } from '../text/native/refuse.ts'
import { defineNative, ofModel } from './native-operation.ts'
import { modelOf, upstreamWords } from '../text/native/request.ts'
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
  },
  (core: Core) => {
    const { messageLimit } = core.use(textSettings)
    return countBehaviour<GenerateBody>(core, {
      modelOf,
      imagesOf: (body) => imageTexts(countedRequest(body)['contents']),
      words: upstreamWords,
      read: (x, images, body) => {
        const request = readNativeRequest(body, modelOf(x), images, messageLimit)
        readModalities(body.generationConfig, modelOf(x))
        return request
      },
      write: (tokens) => nativeReply({ totalTokens: tokens.total, promptTokensDetails: detailsOf(tokens) }),
    })
  },
)
