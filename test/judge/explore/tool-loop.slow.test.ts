import { describe, expect, it } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'

type Json = Readonly<Record<string, unknown>>

/** The parts of an API that an agent needs. */
interface Dialect {
  readonly path: string
  /** The body of a request with the messages so far. @param mayCall whether the model may call tools. */
  readonly body: (messages: readonly Json[], mayCall: boolean) => Json
  /** Reads a response: the text, or the messages that answer its tool calls. */
  readonly read: (response: never) => { readonly text: string; readonly answers: readonly Json[] }
  readonly first: Json
}

const prompt = 'What is the weather in Oslo?'
const description = 'The weather of a city'
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const sunny = '{"sky":"clear"}'

interface Chat {
  choices: [{ message: { content: string | null; tool_calls?: { id: string }[] } }]
}
interface Native {
  candidates: [{ content: { parts: { text?: string; functionCall?: { name: string } }[] } }]
}
interface Message {
  content: { type: string; text?: string; id?: string }[]
}
interface Responses {
  output: { type: string; call_id?: string; content?: { text: string }[] }[]
}

const dialects: Readonly<Record<string, Dialect>> = {
  'chat.complete': {
    path: '/v1/chat/completions',
    first: { role: 'user', content: prompt },
    body: (messages, mayCall) => ({
      model: 'm',
      messages,
      tools: [{ type: 'function', function: { name: 'get_weather', description, parameters } }],
      tool_choice: mayCall ? 'auto' : 'none',
    }),
    read: ({ choices: [{ message }] }: Chat) => ({
      text: message.content ?? '',
      answers: message.tool_calls
        ? [
            { ...message },
            ...message.tool_calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: sunny })),
          ]
        : [],
    }),
  },
  'text.generate': {
    path: '/v1beta/models/sim-text-1:generateContent',
    first: { role: 'user', parts: [{ text: prompt }] },
    body: (contents, mayCall) => ({
      contents,
      tools: [{ functionDeclarations: [{ name: 'get_weather', description, parameters }] }],
      toolConfig: { functionCallingConfig: { mode: mayCall ? 'AUTO' : 'NONE' } },
    }),
    read: ({ candidates: [{ content }] }: Native) => {
      const calls = content.parts.flatMap(({ functionCall }) => functionCall ?? [])
      const parts = calls.map(({ name }) => ({
        functionResponse: { name, response: { sky: 'clear' } },
      }))
      return {
        text: content.parts.map(({ text = '' }) => text).join(''),
        answers: calls.length > 0 ? [{ ...content }, { role: 'user', parts }] : [],
      }
    },
  },
  'messages.create': {
    path: '/v1/messages',
    first: { role: 'user', content: prompt },
    body: (messages, mayCall) => ({
      model: 'm',
      max_tokens: 500,
      messages,
      tools: [{ name: 'get_weather', description, input_schema: parameters }],
      tool_choice: { type: mayCall ? 'auto' : 'none' },
    }),
    read: ({ content }: Message) => {
      const calls = content.filter(({ type }) => type === 'tool_use')
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: sunny }))
      return {
        text: content.map(({ text = '' }) => text).join(''),
        answers:
          calls.length > 0
            ? [
                { role: 'assistant', content },
                { role: 'user', content: results },
              ]
            : [],
      }
    },
  },
  'responses.create': {
    path: '/v1/responses',
    first: { role: 'user', content: prompt },
    body: (input, mayCall) => ({
      model: 'm',
      input,
      tools: [{ type: 'function', name: 'get_weather', description, parameters, strict: false }],
      tool_choice: mayCall ? 'auto' : 'none',
    }),
    read: ({ output }: Responses) => {
      const calls = output.filter(({ type }) => type === 'function_call')
      const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: sunny }))
      return {
        text: output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(''),
        answers: calls.length > 0 ? [...calls.map((call) => ({ ...call })), ...results] : [],
      }
    },
  },
}

/** An agent that answers tool calls. @param rounds how many; then it does what `end` says. */
function agent(
  { path, first, body, read }: Dialect,
  rounds: number,
  end: 'fails' | 'forbids calls' = 'fails',
) {
  return async ({ fetch, baseUrl, key }: ExploredGateway): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const messages = [first]
    for (let round = 0; ; round++) {
      const isLast = round === rounds
      const init = { method: 'POST', headers, body: JSON.stringify(body(messages, !isLast)) }
      const response = await fetch(baseUrl + path, init)
      if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`)
      const { text, answers } = read((await response.json()) as never)
      if (answers.length === 0) return text
      if (isLast || (end === 'fails' && round + 1 === rounds)) throw new Error('too many tool calls')
      messages.push(...answers)
    }
  }
}

const options = { only: ['tool loop'] } as const

describe.each(Object.entries(dialects))('of %s', (operation, dialect) => {
  it('finds an agent that answers tool calls without end, and writes the loop as a scenario', async () => {
    const error = await explore(agent(dialect, Infinity), options).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ExploreError)
    const { findings, message } = error as ExploreError
    expect(findings.map(({ key }) => key)).toEqual(['hung | ends-tool-loop'])
    expect(message).toContain('answer:\n      calls: always\n')
    expect(message).toContain('always:\n    - ends-tool-loop\n')
  })

  it('accuses no agent that reports too many tool calls', async () => {
    const { cells } = await explore(agent(dialect, 10), options)
    expect(cells.map(({ schedule, state }) => `${schedule.name}: ${state}`)).toEqual([
      `tool loop @ ${operation} first: reported`,
      `tool loop @ ${operation} last: reported`,
    ])
  })

  it('accuses no agent that allows no more calls in the end', async () => {
    const { cells } = await explore(agent(dialect, 10, 'forbids calls'), options)
    expect(cells.map(({ state }) => state)).toEqual(['survived', 'survived'])
  })
})

it('tries no loop on a client without tools', async () => {
  const chat = dialects['chat.complete']!
  const plain = agent({ ...chat, body: (messages) => ({ model: 'm', messages }) }, 3)
  await expect(explore(plain, options)).rejects.toThrow('Nothing was tried')
})
