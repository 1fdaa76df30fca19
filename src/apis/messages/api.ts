import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { messagesCountTokens } from './count.ts'
import { messagesCreate } from './create.ts'

/** Anthropic's Messages API, over the same texts as chats. */
export const messagesApi = defineApi({
  name: 'messages',
  exploration: {
    variants: [
      { id: 'CRLF events of messages', operation: 'messages.create', quirks: { sseNewline: 'crlf' } },
    ],
    tokenLimit: 'length',
  },
  instead: [
    [
      /^\/v1\/messages\/batches(?:\/|$)/,
      `Batches are not offered. Messages are written by POST /v1/messages (messages.create). ${handlers}`,
    ],
  ],
  operations: [messagesCreate, messagesCountTokens],
})
