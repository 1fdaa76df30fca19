import type { Exchange } from '../../gateway/exchange.ts'
import type { ApiDeps } from '../define/operation.ts'
import { textBehaviour } from '../text/operation.ts'
import { metadataOf, nativeAnswer } from './answer.ts'
import { imageTexts } from './contents.ts'
import { nativeHeaders, nativeJson } from './models.ts'
import { defineNative, modelOf, ofModel, upstreamWords } from './native-operation.ts'
import { readNativeRequest } from './request.ts'
import { isEventStream } from './refuse.ts'
import { formatOf, nativeStream } from './stream.ts'

/** Native text generation (§4.7), streamed or not (§4.8). */
export const textGenerate = defineNative(
  { name: 'text.generate', ...ofModel('text', 'generateContent') },
  (deps) => generateBehaviour(deps, ({ query }) => isEventStream(query)),
)

export const textStream = defineNative(
  { name: 'text.stream', ...ofModel('stream', 'streamGenerateContent') },
  (deps) => generateBehaviour(deps, () => true),
)

function generateBehaviour(deps: ApiDeps, isStream: (x: Exchange) => boolean) {
  const { quirks, text } = deps
  return textBehaviour<{ isStream: boolean }>(deps, {
    modelOf,
    imagesOf: (body) => imageTexts(body['contents']),
    read: (x, model, images) => ({
      request: readNativeRequest(x.body, model, images, text.messageLimit),
      form: { isStream: isStream(x) },
    }),
    words: upstreamWords,
    isStream: ({ isStream }) => isStream,
    stream: (billed, x, { request: { model } }) => {
      const format = formatOf(quirks, x.query)
      const body = nativeStream(billed, text.timing, metadataOf(model, x), format)
      return { headers: format.headers, body }
    },
    whole: ({ answer }, x, { request: { model } }) => {
      const body = nativeJson(nativeAnswer(answer, metadataOf(model, x)))
      return { headers: nativeHeaders, body }
    },
  })
}
