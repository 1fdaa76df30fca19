import { TransportError } from '../client/errors.ts'
import { textFlow, type ClientDialect } from '../client/text-flow.ts'
import type { FirstClient } from '../define/flow.ts'

interface ChatResponse {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
    readonly finish_reason?: string | null
  }[]
  readonly error?: { readonly message?: string }
}

/** How the reference client requests and reads chat completions (§4.9). */
const chatDialect: ClientDialect = {
  buildRequest: (model, prompt, isStream) => ({
    path: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: prompt }], ...(isStream ? { stream: true } : {}) },
  }),
  completeReasons: ['stop', 'tool_calls'],
  lastEvent: '[DONE]',
  readText: (chunks) => {
    const responses = chunks as readonly ChatResponse[]
    const error = responses.find((response) => response.error)?.error
    if (error) throw new TransportError(`the response reported an error: ${error.message}`)
    const choices = responses.flatMap((response) => response.choices ?? [])
    const reason = choices.find(({ finish_reason }) => finish_reason)?.finish_reason
    if (!reason) throw new TransportError('the response has no finish reason')
    return {
      text: choices.map(({ message, delta }) => message?.content ?? delta?.content ?? '').join(''),
      reason,
    }
  },
}

export const startChat = textFlow(chatDialect, false)
export const startChatStream = textFlow(chatDialect, true)

/** The client of `greenroom init`. */
export const firstClient: FirstClient = {
  title: 'gets an answer although the gateway is busy at first',
  call: "askQuestion('Why do kites fly?')",
  measure: 'length',
  code: `function askQuestion(content‹: string›)‹: Promise<string>› {
  const body = { model: 'sim-text-1', messages: [{ role: 'user', content }] }
  const { choices } = await sendJson‹<{ choices: { message: { content: string } }[] }>›('/v1/chat/completions', body)
  return choices[0]‹!›.message.content
}`,
  python: {
    call: 'ask_question("Why do kites fly?")',
    code: `def ask_question(content):
    body = {"model": "sim-text-1", "messages": [{"role": "user", "content": content}]}
    return send_json("/v1/chat/completions", body)["choices"][0]["message"]["content"]`,
  },
}
