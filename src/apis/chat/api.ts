import { handlers } from '../other-apis.ts'
import { callDialects } from '../text/calls/lists.ts'
import { defineTextApi } from '../text/define-text-api.ts'
import { blockedPrompt } from '../text/ends/blocked-prompt.ts'
import { chatComplete } from './complete.ts'
import { readChunk } from './observe.ts'
import { openaiVariables } from '../text/openai/words.ts'
import * as lists from './lists.ts'

const texts = `Texts are written by POST /v1/chat/completions (chat.complete). ${handlers}`

/** Chat completions (§4.9). */
export const chatApi = defineTextApi({
  name: 'chat',
  title: 'Chat',
  description: 'Chat completions.',
  base: { name: 'openai', path: '/v1' },
  variables: openaiVariables,
  samples: [
    {
      client: 'curl',
      comment: 'Or stream a chat completion:',
      lines: [
        "curl -sN ${url}/v1/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' " +
          `-d '{"model":"sim-text-1","stream":true,"messages":[{"role":"user","content":"Why do kites fly?"}]}'`,
      ],
    },
    {
      client: 'AI SDK',
      lines: [
        "const gateway = createOpenAI({ baseURL: '${url}/v1', apiKey: '${key}' })",
        "const { textStream } = streamText({ model: gateway.chat('sim-text-1'), prompt: 'Why do kites fly?' })",
      ],
    },
  ],
  // A blocked prompt is refused with status 400.
  texts: {
    streams: chatComplete.name,
    of: ' of chats',
    calls: callDialects,
    lacks: [blockedPrompt],
    tokenLimit: 'length',
  },
  instead: [
    [/^\/v1\/(?:completions|complete|edits)(?:\/|$)/, `This text API is not offered. ${texts}`],
    [/^\/v1\/chat\/completions\/./, `Stored chat completions are not offered. ${texts}`],
    [/^\/v1\/realtime(?:\/|$)/, `Realtime sessions are not offered. ${texts}`],
  ],
  readEvent: readChunk,
  ...lists,
  flows: [
    {
      name: 'chat',
      summary: 'POST /v1/chat/completions, as OpenAI',
      operations: { submit: chatComplete.name },
      reads: ['model'],
      model: 'sim-text-1',
      load: async () => (await import('./flow.ts')).startChat,
      first: {
        variables: openaiVariables,
        calledBy: /\/chat\/completions\b|\bchat\.completions\b/,
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
