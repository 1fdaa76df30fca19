import { handlers } from '../other-apis.ts'
import { defineApi } from '../define/api.ts'
import { chatComplete } from './complete.ts'

const texts = `Texts are written by POST /v1/chat/completions (chat.complete). ${handlers}`

/** Chat completions (§4.9). */
export const chatApi = defineApi({
  name: 'chat',
  exploration: {
    variants: [{ id: 'CRLF events of chats', operation: 'chat.complete', quirks: { sseNewline: 'crlf' } }],
    tokenLimit: 'length',
  },
  instead: [
    [/^\/v1\/(?:completions|complete|edits)(?:\/|$)/, `This text API is not offered. ${texts}`],
    [/^\/v1\/chat\/completions\/./, `Stored chat completions are not offered. ${texts}`],
    [/^\/v1\/realtime(?:\/|$)/, `Realtime sessions are not offered. ${texts}`],
  ],
  operations: [chatComplete],
  flows: [
    {
      name: 'chat',
      summary: 'POST /v1/chat/completions, as OpenAI',
      operations: { submit: chatComplete.name },
      reads: ['model'],
      model: 'sim-text-1',
      load: async () => (await import('./flow.ts')).startChat,
      first: {
        variables: { OPENAI_BASE_URL: '${url}/v1', OPENAI_API_KEY: '${key}' },
        load: async () => (await import('./flow.ts')).firstClient,
      },
    },
    {
      name: 'chat-stream',
      summary: 'POST /v1/chat/completions, as OpenAI',
      operations: { submit: chatComplete.name },
      isStream: true,
      reads: ['model'],
      model: 'sim-text-1',
      load: async () => (await import('./flow.ts')).startChatStream,
    },
  ],
})
