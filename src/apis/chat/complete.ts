import { textSettings } from '../text/settings.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import { upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonHeaders } from '../../gateway/replies/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { requireModelName } from '../models/catalog.ts'
import { defineOperation, type ApiDeps, type Description } from '../define/operation.ts'
import { addHint } from '../text/answer.ts'
import { isObject, joinTexts, show } from '../text/fields.ts'
import { textBehaviour } from '../text/operation.ts'
import { streamHeaders } from '../text/stream.ts'
import { chatAnswer, metadataOf, upstreamWords } from './answer.ts'
import { imageUrls } from './messages.ts'
import { readChatRequest, type ChatForm } from './request.ts'
import { chatStream } from './stream.ts'

/** Chat completions (§4.9), plain and streamed. */
export const chatComplete = defineOperation(
  { name: 'chat.complete', role: 'text', route: 'POST /v1/chat/completions' },
  (deps: ApiDeps) => {
    const { quirks } = deps
    const text = deps.use(textSettings)
    const behaviour = textBehaviour<ChatForm>(deps, {
      modelOf: ({ body }) => requireModelName(body['model']),
      imagesOf: (body) => imageUrls(body['messages']),
      read: ({ body }, model, images) => readChatRequest(body, model, images, text.messageLimit, quirks),
      words: upstreamWords,
      blocked: promptBlocked,
      isStream: ({ isStream }) => isStream,
      stream: (billed, x, { request, form }) => {
        adviseOnModalities(x)
        const body = chatStream(billed, text.timing, metadataOf(request.model, x), form)
        return { headers: streamHeaders, body }
      },
      whole: ({ answer }, x, { request, form }) => {
        adviseOnModalities(x)
        const body = JSON.stringify(chatAnswer(answer, metadataOf(request.model, x), form))
        return { headers: jsonHeaders, body }
      },
    })

    return { ...behaviour, describe: describeChat }
  },
)

/** Says that sounds and images are not made in chats, if the request wants any. */
function adviseOnModalities(x: Exchange): void {
  const { modalities } = x.body
  const unmade = Array.isArray(modalities) ? modalities.filter((each) => each !== 'text') : []
  if (unmade.length === 0) return
  const hint =
    `${unmade.map(show).join(' and ')} in modalities is ignored: chats have texts only. ` +
    'Images are made by POST /v1/images/generations (images.generate).'
  addHint(x, hint)
}

/** @assumed §7 the answer to a refused prompt is undocumented; wire §9.1. */
export function promptBlocked(reason: string): GatewayError {
  const words = { type: 'prompt_blocked', code: 'prompt_blocked' }
  return upstreamError(400, `request blocked by the model's safety system: ${reason.toUpperCase()}`, words)
}

function describeChat({ body: { model, messages } }: Exchange): Description {
  return { model: typeof model === 'string' ? model : undefined, prompt: lastText(messages) }
}

/** The last text of the user. */
export function lastText(messages: JsonValue | undefined): string | undefined {
  const list = Array.isArray(messages) ? messages : []
  const last = list.findLast((message) => isObject(message) && message['role'] === 'user')
  const content = isObject(last) ? last['content'] : undefined
  if (typeof content === 'string') return content
  return Array.isArray(content) ? joinTexts(content) : undefined
}
