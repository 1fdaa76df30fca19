import type { Route } from '../../gateway/exchange.ts'
import type { ApiDeps } from '../operation.ts'
import { textBehaviour } from '../text/operation.ts'
import { metadataOf, nativeAnswer } from './answer.ts'
import { imageTexts } from './contents.ts'
import { nativeHeaders, nativeJson } from './models.ts'
import { defineNative, modelOf, upstreamWords } from './native-operation.ts'
import { readNativeRequest } from './request.ts'
import { isEventStream } from './refuse.ts'
import { formatOf, nativeStream } from './stream.ts'

/** Native text generation (§4.7), streamed or not (§4.8). */
export function textGenerate(
  deps: ApiDeps,
  operation: 'text.generate' | 'text.stream' = 'text.generate',
): Route {
  const { quirks, text } = deps
  const behaviour = textBehaviour<{ isStream: boolean }>(deps, {
    modelOf,
    imagesOf: (body) => imageTexts(body['contents']),
    read: ({ body, query }, model, images) => ({
      request: readNativeRequest(body, model, images, text.messageLimit),
      form: { isStream: operation === 'text.stream' || isEventStream(query) },
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
  return defineNative(operation, deps, behaviour)
}

export function textStream(deps: ApiDeps): Route {
  return textGenerate(deps, 'text.stream')
}
