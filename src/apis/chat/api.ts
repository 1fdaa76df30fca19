import { defineApi } from '../define/api.ts'
import { chatComplete } from './complete.ts'

/** Chat completions (§4.9). */
export const chatApi = defineApi({
  name: 'chat',
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
