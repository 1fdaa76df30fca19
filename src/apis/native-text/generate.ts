import type { Route } from '../../gateway/exchange.ts'
import { requireModel } from '../models/catalog.ts'
import type { ApiDeps } from '../operation.ts'
import { answerText, directivesOf, toInput, type TextInput } from '../text/answer.ts'
import { checkLength, guardFor } from '../text/fields.ts'
import { prepareText, type PreparedText } from '../text/prepare.ts'
import { cutInHalf } from '../text/stream.ts'
import { durationOf } from '../text/text-delta.ts'
import { metadataOf, nativeAnswer } from './answer.ts'
import { imageTexts } from './contents.ts'
import { nativeReply } from './models.ts'
import { defineNative, modelOf, upstreamWords } from './native-operation.ts'
import { readNativeRequest } from './request.ts'
import { isEventStream } from './refuse.ts'
import { formatOf, nativeStream } from './stream.ts'

/** Native text generation (§4.7), streamed or not (§4.8). */
export function textGenerate(
  deps: ApiDeps,
  operation: 'text.generate' | 'text.stream' = 'text.generate',
): Route {
  const { text: settings, quirks } = deps
  const { catalog, timing, messageLimit, textLimitCharacters } = settings
  const guard = guardFor(quirks, upstreamWords(400))
  return defineNative<PreparedText, TextInput>(operation, deps, {
    ...directivesOf(settings),
    prepare: (body, media) => prepareText(body, imageTexts(body['contents']), media, settings),
    parse: (x) => {
      const { body, prepared, work } = x
      const model = modelOf(x)
      requireModel(catalog, model, 'text')
      return guard(() => {
        const request = readNativeRequest(body, model, prepared.images, messageLimit)
        checkLength(request, textLimitCharacters)
        prepared.writer.check(request, work)
        return toInput(request, settings)
      })
    },
    respond: (x, input) => {
      const isStream = operation === 'text.stream' || isEventStream(x.query)
      const billed = answerText(input, x, { isStream, words: upstreamWords, guard })
      const metadata = metadataOf(input.request.model, x)
      if (isStream) {
        const format = formatOf(quirks, x.query)
        const body = nativeStream(billed, timing, metadata, format)
        return { status: 200, headers: format.headers, body, delayMs: 0 }
      }
      const reply = nativeReply({ ...nativeAnswer(billed.answer), ...metadata })
      const delayMs = durationOf(billed, timing)
      return { ...reply, delayMs, ...(input.promptFault && { body: cutInHalf(String(reply.body)) }) }
    },
  })
}

export function textStream(deps: ApiDeps): Route {
  return textGenerate(deps, 'text.stream')
}
