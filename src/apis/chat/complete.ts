import { textSettings } from '../text/settings.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { defineOperation, describeRequest } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { callDialects } from '../text/calls/lists.ts'
import { findCallDialect } from '../text/calls/find-dialect.ts'
import { addHint } from '../text/answer.ts'
import { contentOfUser, lastText, show } from '../text/fields.ts'
import { textBehaviour } from '../text/operation.ts'
import { chatAnswer, metadataOf } from './answer.ts'
import { chatForm, type ChatBody } from './form.ts'
import { imageUrls } from './messages.ts'
import { readChatRequest, type ChatForm } from './request.ts'
import { promptBlocked, upstreamWords } from '../text/openai/words.ts'
import { chatStream } from './stream.ts'

/** Chat completions (§4.9), plain and streamed. */
export const chatComplete = defineOperation(
  {
    name: 'chat.complete',
    summary: 'Complete a chat',
    role: 'text',
    route: 'POST /v1/chat/completions',
    form: chatForm,
  },
  (core: Core) => {
    const { quirks } = core
    const text = core.use(textSettings)
    const calls = findCallDialect(quirks, callDialects)
    const behaviour = textBehaviour<ChatForm, ChatBody>(core, {
      imagesOf: (body) => imageUrls(body['messages']),
      read: (_x, images, body) => readChatRequest(body, images, text.messageLimit, quirks),
      words: upstreamWords,
      blocked: promptBlocked,
      stream: (billed, x, { request, form }) => {
        adviseOnModalities(x)
        return { body: chatStream(billed, text.timing, metadataOf(request.model, x), form, calls) }
      },
      whole: ({ answer }, x, { request, form }) => {
        adviseOnModalities(x)
        return { body: JSON.stringify(chatAnswer(answer, metadataOf(request.model, x), form)) }
      },
    })

    return {
      ...behaviour,
      describe: ({ body: { model, messages } }) => describeRequest(model, lastText(messages, contentOfUser)),
    }
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
