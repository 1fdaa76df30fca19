import { defineApi } from '../define/api.ts'
import { messagesCountTokens } from './count.ts'
import { messagesCreate } from './create.ts'

/** Anthropic's Messages API, over the same texts as chats. */
export const messagesApi = defineApi({
  name: 'messages',
  operations: [messagesCreate, messagesCountTokens],
})
