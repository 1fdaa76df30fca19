import { textSettings } from '../text/settings.ts'
import { jsonHeaders } from '../../gateway/replies/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { requireModelName } from '../models/catalog.ts'
import type { ApiDeps } from '../define/operation.ts'
import { addHint } from '../text/answer.ts'
import { textBehaviour } from '../text/operation.ts'
import { streamHeaders } from '../text/stream.ts'
import { blocksOf, messageOf, metadataOf } from './answer.ts'
import { imageTexts } from './content.ts'
import { defineMessages, isStrictVersion, versionNotes } from './messages-operation.ts'
import { requestIdHeader, upstreamWords } from './refuse.ts'
import { readMessageRequest, type MessageForm } from './request.ts'
import { messageStream } from './stream.ts'

/** Anthropic's Messages API, plain and streamed: the same texts as chats, as blocks. */
export const messagesCreate = defineMessages(
  { name: 'messages.create', role: 'text', route: 'POST /v1/messages' },
  (deps: ApiDeps) => {
    const text = deps.use(textSettings)
    const addNotes = (x: Exchange, { notes }: MessageForm): void => {
      for (const note of [...versionNotes(x), ...notes]) addHint(x, note)
    }
    return textBehaviour<MessageForm>(deps, {
      modelOf: ({ body }) => requireModelName(body['model']),
      imagesOf: (body) => imageTexts(body['messages']),
      read: (x, model, images) => {
        const how = { messageLimit: text.messageLimit, isStrict: isStrictVersion(x) }
        return readMessageRequest(x.body, model, images, how)
      },
      words: upstreamWords,
      isStream: ({ isStream }) => isStream,
      stream: (billed, x, { request, form }) => {
        addNotes(x, form)
        const content = blocksOf(billed.answer.candidates[0], form.isThinkingOmitted)
        const metadata = metadataOf(request.model, x)
        return {
          headers: { ...streamHeaders, ...requestIdHeader(x) },
          body: messageStream(billed, text.timing, metadata, content, x.entry.requestId),
        }
      },
      whole: ({ answer }, x, { request, form }) => {
        addNotes(x, form)
        const content = blocksOf(answer.candidates[0], form.isThinkingOmitted)
        return {
          headers: { ...jsonHeaders, ...requestIdHeader(x) },
          body: JSON.stringify(messageOf(answer, metadataOf(request.model, x), content)),
        }
      },
    })
  },
)
