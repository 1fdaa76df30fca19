import { type GatewayError, upstreamError } from '../../gateway/replies/errors.ts'
import { jsonHeaders, type Reply } from '../../gateway/replies/reply.ts'
import type { Context, Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { requireModel } from '../models/catalog.ts'
import { requireModelName } from '../models/model-name.ts'
import { obeyedDirectives } from '../text/directives.ts'
import { Question } from '../text/question.ts'
import { type PreparedText, prepareText } from '../text/prepare.ts'
import { type Reading, readingFor } from '../text/refused.ts'
import type { TextSurfaceSettings } from '../text/settings.ts'
import { generateAnswer } from '../text/generate-answer.ts'
import { cutInHalf, streamHeaders } from '../text/stream.ts'
import { wholeAnswerMs } from '../text/text-delta.ts'
import { chatAnswer, imprintOf, saidIn } from './answer.ts'
import { pictureUrls } from './messages.ts'
import { type ChatRequest, readChatRequest } from './request.ts'
import { chatStream } from './stream.ts'
import { upstreamWords } from './words.ts'
import { checkLength } from '../text/length.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { isObject } from '../text/fields.ts'

interface Asked extends Pick<ChatRequest, 'stream' | 'usage'> {
  readonly question: Question
}

/** Chat completions (§4.9), plain and streamed. */
export function chatRoutes(settings: TextSurfaceSettings): Route[] {
  const { catalog, quirks, messageLimit, textLimitCharacters } = settings
  const reading = readingFor(quirks, upstreamWords(400))
  return [
    defineOperation<PreparedText, Asked>('chat.complete', {
      describe: describeChat,
      ...obeyedDirectives(settings),
      prepare: (body, media) => prepareText(body, pictureUrls(body['messages']), media, settings),
      validate: ({ body, prepared, work }) => {
        const model = requireModelName(body['model'])
        requireModel(catalog, model, 'text')
        return reading(() => {
          const request = readChatRequest(body, model, prepared.images, messageLimit, quirks)
          checkLength(request.text, textLimitCharacters)
          prepared.writer.check(request.text, work)
          const question = new Question(request.text, settings.promptDirectives)
          return { question, stream: request.stream, usage: request.usage }
        })
      },
      respond: (request, context) => answer(request, context, settings, reading),
    }),
  ]
}

function answer(
  { question, stream, usage }: Asked,
  context: Context,
  settings: TextSurfaceSettings,
  reading: Reading,
): Reply {
  const { writer } = context.request.prepared as PreparedText
  const { timing } = settings
  const manner = { streams: stream, words: upstreamWords, blocked: promptBlocked, reading }
  const spoken = generateAnswer(question, context, writer, manner)
  const imprint = imprintOf(question.request.model, context)
  if (stream) {
    return {
      status: 200,
      headers: streamHeaders,
      body: chatStream(spoken, timing, imprint, usage),
      delayMs: 0,
    }
  }
  const said = question.written(spoken.answer, () => saidIn(spoken.answer))
  const whole = chatAnswer(said, imprint)
  return {
    status: 200,
    headers: jsonHeaders,
    body: question.trouble ? cutInHalf(whole) : whole,
    delayMs: wholeAnswerMs(spoken.answer, timing, spoken.chance),
  }
}

/** @assumed §7 the answer to a refused prompt is not shown; wire §9.1. */
function promptBlocked(reason: string): GatewayError {
  const words = { type: 'prompt_blocked', code: 'prompt_blocked' }
  return upstreamError(400, `request blocked by the model's safety system: ${reason.toUpperCase()}`, words)
}

/** What rules and journal may know of a chat: its model, and the last text that the user said. */
function describeChat({ model, messages }: JsonObject): { model?: string; prompt?: string } {
  const prompt = lastText(messages)
  const said: { model?: string; prompt?: string } = {}
  if (typeof model === 'string') said.model = model
  if (prompt !== undefined) said.prompt = prompt
  return said
}

function lastText(messages: JsonObject[string]): string | undefined {
  const said = Array.isArray(messages) ? messages : []
  const last = said.findLast((message) => isObject(message) && message['role'] === 'user')
  const content = isObject(last) ? last['content'] : undefined
  if (typeof content === 'string') return content
  const texts = (Array.isArray(content) ? content : []).flatMap((part) =>
    isObject(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return texts.length > 0 ? texts.join(' ') : undefined
}
