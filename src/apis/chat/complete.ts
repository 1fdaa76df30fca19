import type { JsonValue } from '../../gateway/bodies/json.ts'
import { upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonHeaders } from '../../gateway/replies/reply.ts'
import type { Exchange, Route } from '../../gateway/exchange.ts'
import { requireModel, requireModelName } from '../models/catalog.ts'
import { defineOperation, type ApiDeps, type Description } from '../operation.ts'
import { answerText, directivesOf, toInput, type TextInput } from '../text/answer.ts'
import { checkLength, guardFor, isObject } from '../text/fields.ts'
import { prepareText, type PreparedText } from '../text/prepare.ts'
import { cutInHalf, streamHeaders } from '../text/stream.ts'
import { durationOf } from '../text/text-delta.ts'
import { chatAnswer, metadataOf, upstreamWords } from './answer.ts'
import { imageUrls } from './messages.ts'
import { readChatRequest, type ChatRequest } from './request.ts'
import { chatStream } from './stream.ts'

interface Input extends TextInput, Pick<ChatRequest, 'stream' | 'usage'> {}

/** Chat completions (§4.9), plain and streamed. */
export function chatComplete({ text: settings, quirks }: ApiDeps): Route {
  const { catalog, timing, messageLimit, textLimitCharacters } = settings
  const guard = guardFor(quirks, upstreamWords(400))
  return defineOperation<PreparedText, Input>('chat.complete', {
    ...directivesOf(settings),
    describe: describeChat,
    prepare: (body, media) => prepareText(body, imageUrls(body['messages']), media, settings),
    parse: ({ body, prepared, work }) => {
      const model = requireModelName(body['model'])
      requireModel(catalog, model, 'text')
      return guard(() => {
        const { text, ...how } = readChatRequest(body, model, prepared.images, messageLimit, quirks)
        checkLength(text, textLimitCharacters)
        prepared.writer.check(text, work)
        return { ...toInput(text, settings), ...how }
      })
    },
    respond: (x, input) => {
      const { request, promptFault, stream, usage } = input
      const options = { isStream: stream, words: upstreamWords, blocked: promptBlocked, guard }
      const billed = answerText(input, x, options)
      const metadata = metadataOf(request.model, x)
      if (stream) {
        const body = chatStream(billed, timing, metadata, usage)
        return { status: 200, headers: streamHeaders, body, delayMs: 0 }
      }
      const body = JSON.stringify(chatAnswer(billed.answer, metadata))
      return {
        status: 200,
        headers: jsonHeaders,
        body: promptFault ? cutInHalf(body) : body,
        delayMs: durationOf(billed, timing),
      }
    },
  })
}

/** @assumed §7 the answer to a refused prompt is undocumented; wire §9.1. */
function promptBlocked(reason: string): GatewayError {
  const words = { type: 'prompt_blocked', code: 'prompt_blocked' }
  return upstreamError(400, `request blocked by the model's safety system: ${reason.toUpperCase()}`, words)
}

function describeChat({ body: { model, messages } }: Exchange): Description {
  const prompt = lastText(messages)
  return { ...(typeof model === 'string' && { model }), ...(prompt !== undefined && { prompt }) }
}

/** The last text of the user. */
function lastText(messages: JsonValue | undefined): string | undefined {
  const list = Array.isArray(messages) ? messages : []
  const last = list.findLast((message) => isObject(message) && message['role'] === 'user')
  const content = isObject(last) ? last['content'] : undefined
  if (typeof content === 'string') return content
  const texts = (Array.isArray(content) ? content : []).flatMap((part) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return texts.length > 0 ? texts.join(' ') : undefined
}
