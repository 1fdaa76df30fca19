import { textSettings } from '../text/settings.ts'
import { jsonHeaders, jsonReply } from '../../gateway/replies/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Core } from '../../gateway/core.ts'
import { atOnce } from '../text/calls/at-once.ts'
import { findCallDialect } from '../text/calls/find-dialect.ts'
import { addHint } from '../text/answer.ts'
import { countBehaviour, textBehaviour } from '../text/operation.ts'
import { streamHeaders } from '../text/stream.ts'
import { blocksOf, messageOf, metadataOf } from './answer.ts'
import { imageTexts } from './conversation.ts'
import { messageForm, type MessageBody, countForm, type PromptBody } from './form.ts'
import { defineMessages, versionNotes } from './messages-operation.ts'
import { requestIdHeader, upstreamWords } from '../text/anthropic/refuse.ts'
import { readMessageRequest, type MessageForm, readPrompt } from './request.ts'
import { messageStream } from './stream.ts'

/** The ways in which gateways stream uses of tools. */
export const messageCalls = [atOnce]

/** Anthropic's Messages API, plain and streamed: the same texts as chats, as blocks. */
export const messagesCreate = defineMessages(
  {
    name: 'messages.create',
    summary: 'Create a message',
    role: 'text',
    route: 'POST /v1/messages',
    form: messageForm,
  },
  (core: Core) => {
    const text = core.use(textSettings)
    const calls = findCallDialect(core.quirks, messageCalls)
    const addNotes = (x: Exchange, { notes }: MessageForm): void => {
      for (const note of [...versionNotes(x), ...notes]) addHint(x, note)
    }
    return textBehaviour<MessageForm, MessageBody>(core, {
      imagesOf: (body) => imageTexts(body['messages']),
      read: (_x, images, body) => {
        const { messageLimit } = text
        return readMessageRequest(body, images, { messageLimit })
      },
      words: upstreamWords,
      stream: (billed, x, { request, form }) => {
        addNotes(x, form)
        const content = blocksOf(billed.answer.candidates[0], form.isThinkingOmitted)
        const metadata = metadataOf(request.model, x)
        return {
          headers: { ...streamHeaders, ...requestIdHeader(x.entry) },
          body: messageStream(billed, text.timing, metadata, content, x.entry.requestId, calls),
        }
      },
      whole: ({ answer }, x, { request, form }) => {
        addNotes(x, form)
        const content = blocksOf(answer.candidates[0], form.isThinkingOmitted)
        return {
          headers: { ...jsonHeaders, ...requestIdHeader(x.entry) },
          body: JSON.stringify(messageOf(answer, metadataOf(request.model, x), content)),
        }
      },
    })
  },
)

/**
 * Counts the input tokens that a message would be charged for.
 * @assumed §4.9 counting is undocumented; `MessageTokensCount` of the vendor's SDK.
 */
export const messagesCountTokens = defineMessages(
  {
    name: 'messages.count-tokens',
    summary: 'Count the tokens of a message',
    role: 'read',
    route: 'POST /v1/messages/count_tokens',
    form: countForm,
  },
  (core: Core) => {
    const { messageLimit } = core.use(textSettings)
    return countBehaviour<PromptBody>(core, {
      imagesOf: (body) => imageTexts(body['messages']),
      words: upstreamWords,
      read: (_x, images, body) => readPrompt(body, images, { messageLimit }).request,
      write: ({ total }, x) =>
        jsonReply(200, { input_tokens: total }, { ...jsonHeaders, ...requestIdHeader(x.entry) }),
    })
  },
)
