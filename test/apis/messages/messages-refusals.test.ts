import { expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { clientHeaders, messageEvents, postMessage, weatherTool } from '../../support/messages.ts'
import { ask, postJson, textModel } from '../../support/text.ts'
import { describeTransports } from '../../support/transports.ts'

const hello = ask('Hello')
const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Rain' }
const user = (...content: object[]) => ({ role: 'user', content })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const only = (...messages: object[]) => ({ messages })
const withTool = (fields: object) => ({ ...hello, tools: [{ ...weatherTool, ...fields }] })
const image = (source: object) => only(user({ type: 'image', source }))

/** The field that a refusal names, and the body that lacks it or has a bad value in it. */
const badBodies: readonly (readonly [field: string, body: object])[] = [
  ['max_tokens', { ...hello, max_tokens: null }],
  ['max_tokens', { ...hello, max_tokens: -1 }],
  ['max_tokens', { ...hello, max_tokens: '9' }],
  ['max_tokens', { ...hello, max_tokens: 1.5 }],
  ['messages', {}],
  ['messages', { messages: [] }],
  ['messages', { messages: 'Hello' }],
  ['messages.0', { messages: ['Hello'] }],
  ['messages.0', { messages: [null] }],
  ['messages.0', { messages: [{ role: 'user', content: '' }] }],
  ['messages.0', only(assistant(use), user({ type: 'text', text: 'And?' }))],
  ['messages.0', only(assistant(use))],
  ['messages.0.role', { messages: [{ content: 'Hello' }] }],
  ['messages.0.role', { messages: [{ role: 'tool', content: 'Hello' }] }],
  ['messages.0.content', { messages: [{ role: 'user' }] }],
  ['messages.0.content', { messages: [{ role: 'user', content: 7 }] }],
  ['messages.0.content.0', only(user(use))],
  ['messages.0.content.0', only(assistant(result))],
  ['messages.0.content.0', only(user(result))],
  ['messages.0.content.0', only(user({ type: 'text', text: '' }))],
  ['messages.0.content.0', only(user({ type: 'telepathy' }))],
  ['messages.0.content.0.type', only(user({ text: 'Hello' }))],
  ['messages.0.content.0.text', only(user({ type: 'text' }))],
  ['messages.0.content.0.tool_use_id', only(user({ type: 'tool_result' }))],
  ['messages.0.content.0.tool_use_id', only(user({ ...result, tool_use_id: '' }))],
  ['messages.1.content.0.content', only(assistant(use), user({ ...result, content: 7 }))],
  ['messages.0.content.0.input', only(assistant({ ...use, input: null }))],
  ['messages.0.content.0.id', only(assistant({ ...use, id: '' }))],
  [
    'messages.0.content.0.signature',
    only(assistant({ type: 'thinking', thinking: 'Well.' }), hello.messages[0] as object),
  ],
  ['messages.0.content.0.source', only(user({ type: 'image' }))],
  ['messages.0.content.0.source.type', image({})],
  ['messages.0.content.0.source.media_type', image({ type: 'base64', media_type: 'image/bmp', data: 'AA' })],
  [
    'messages.0.content.0.source.type',
    only(user({ type: 'document', source: { type: 'scroll', data: 'Well.' } })),
  ],
  ['messages.0.content.0.citations', only(user({ type: 'text', text: 'Hi', citations: 'none' }))],
  ['messages.0.content.0.source.data', image({ type: 'base64', media_type: 'image/png', data: 'AA==' })],
  ['messages.0.content.0.source.url', image({ type: 'url', url: 'ftp://a.example' })],
  [
    'messages.2',
    only(assistant(use), user(result), assistant({ ...use, id: 'toolu_2' }), hello.messages[0] as object),
  ],
  ['system', { ...hello, system: 7 }],
  ['system.0.type', { ...hello, system: [{ type: 'image' }] }],
  ['stream', { ...hello, stream: 'yes' }],
  ['temperature', { ...hello, temperature: 1.5 }],
  ['top_p', { ...hello, top_p: 2 }],
  ['metadata', { ...hello, metadata: 7 }],
  ['metadata.user_id', { ...hello, metadata: { user_id: 7 } }],
  ['service_tier', { ...hello, service_tier: 'express' }],
  ['inference_geo', { ...hello, inference_geo: 7 }],
  ['cache_control', { ...hello, cache_control: true }],
  ['cache_control.ttl', { ...hello, cache_control: { type: 'ephemeral', ttl: '9h' } }],
  ['tools.0.cache_control.type', withTool({ cache_control: {} })],
  [
    'system.0.cache_control.type',
    { ...hello, system: [{ type: 'text', text: 'Hi', cache_control: { type: 'disk' } }] },
  ],
  [
    'messages.0.content.0.cache_control.ttl',
    only(user({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: 5 } })),
  ],
  ['top_k', { ...hello, top_k: -1 }],
  ['stop_sequences', { ...hello, stop_sequences: 'end' }],
  ['stop_sequences', { ...hello, stop_sequences: Array.from({ length: 1_001 }, () => 'end') }],
  ['stop_sequences.1', { ...hello, stop_sequences: ['end', ' '] }],
  ['tools', { ...hello, tools: {} }],
  ['tools', { ...hello, tools: Array.from({ length: 513 }, (_, index) => ({ type: `search_${index}` })) }],
  ['tools.0.name', withTool({ name: 'get weather' })],
  ['tools.0.name', withTool({ name: '' })],
  ['tools.0.type', { ...hello, tools: [{ type: 7, name: 'search' }] }],
  ['tools.0.strict', withTool({ strict: 'yes' })],
  ['tools.0.input_schema', withTool({ input_schema: null })],
  ['tools.0.input_schema.type', withTool({ input_schema: { type: 'string' } })],
  ['tools.1.name', { ...hello, tools: [weatherTool, weatherTool] }],
  ['tool_choice', { ...hello, tool_choice: { type: 'any' } }],
  ['tool_choice.type', { ...hello, tools: [weatherTool], tool_choice: { type: 'required' } }],
  ['tool_choice.name', { ...hello, tools: [weatherTool], tool_choice: { type: 'tool' } }],
  ['tool_choice.name', { ...hello, tools: [weatherTool], tool_choice: { type: 'tool', name: 'other' } }],
  ['thinking.type', { ...hello, thinking: {} }],
  ['thinking.display', { ...hello, thinking: { type: 'adaptive', display: 'hidden' } }],
  ['thinking.budget_tokens', { ...hello, thinking: { type: 'enabled' } }],
  ['thinking.budget_tokens', { ...hello, thinking: { type: 'enabled', budget_tokens: 100 } }],
  ['max_tokens', { ...hello, thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ['thread', { ...hello, thread: { type: 'create' } }],
  ['output_config.effort', { ...hello, output_config: { effort: 'minimal' } }],
  ['output_config.format.type', { ...hello, output_config: { format: { type: 'json_object' } } }],
  ['output_config.format.schema', { ...hello, output_config: { format: { type: 'json_schema' } } }],
]

it.each(badBodies)('refuses a bad %s in the envelope of the API, and names it', async (field, body) => {
  await using sim = createSimulator()
  const response = await postMessage(
    { call: (path, init) => sim.fetch(`https://gateway.test${path}`, init) },
    body as never,
  )
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({
    type: 'error',
    error: expect.objectContaining({
      type: 'invalid_request_error',
      message: expect.stringMatching(wordIn(field)),
    }),
    request_id: response.headers.get('request-id'),
  })
})

/** Matches a message that has a path as a whole. */
function wordIn(field: string): RegExp {
  return new RegExp(`(^|[ \`])${field.replaceAll('.', '\\.')}(:|[ \`])`)
}

it.each([
  ['an empty field', only(assistant({ ...use, id: '' })), 'messages.0.content.0.id: Field required'],
  ['a missing field', { ...hello, max_tokens: null }, 'max_tokens: Field required'],
  [
    'a text',
    only(user({ type: 'text', text: 7 })),
    'field messages.0.content.0.text must be a string, not 7',
  ],
  ['a number', { ...hello, top_k: 1.5 }, 'field top_k must be a whole number, not 1.5'],
  ['a bound', { ...hello, temperature: 2 }, 'field temperature must be from 0 to 1, not 2'],
  [
    'a word',
    { ...hello, thinking: { type: 'forced' } },
    'field thinking.type must be one of enabled, adaptive, disabled, between_tools, not "forced"',
  ],
  ['an object', { messages: [null] }, 'messages.0 must be an object, not nothing'],
  [
    'an empty text',
    only(user({ type: 'text', text: '' })),
    'messages.0.content.0: text content blocks must be non-empty',
  ],
  ['a list', { messages: {} }, 'messages: Input should be an array, not an object'],
  [
    'a content',
    { messages: [{ role: 'user', content: 7 }] },
    'messages.0.content: Input should be a string or an array of blocks, not 7',
  ],
  [
    'an unknown block',
    only(user({ type: '{field}' })),
    'messages.0.content.0: Input tag "{field}" found using \'type\' does not match any of the expected tags: text, image, ' +
      'document, search_result, thinking, redacted_thinking, tool_use, tool_result',
  ],
  [
    'a schema',
    withTool({ input_schema: {} }),
    "tools.0.input_schema.type: Input should be 'object', not nothing",
  ],
])('says in the words of the service why it refuses %s', async (_what, body, message) => {
  await using sim = createSimulator()
  const transport = {
    call: (path: string, init?: RequestInit) => sim.fetch(`https://gateway.test${path}`, init),
  }
  const response = await postMessage(transport, body)
  expect(await response.json()).toMatchObject({ error: { message } })
})

const forced = {
  ...hello,
  tools: [weatherTool],
  max_tokens: 4_000,
  thinking: { type: 'enabled', budget_tokens: 2_000 },
}

it('lets a model that must think neither be forced to use a tool nor be sampled otherwise', async () => {
  await using sim = createSimulator()
  const refusalOf = async (fields: object): Promise<string> => {
    const transport = {
      call: (path: string, init?: RequestInit) => sim.fetch(`https://gateway.test${path}`, init),
    }
    const response = await postMessage(transport, { ...forced, ...fields })
    return response.status === 400
      ? ((await response.json()) as { error: { message: string } }).error.message
      : ''
  }
  expect(await refusalOf({})).toBe('')
  expect(await refusalOf({ tool_choice: { type: 'any' } })).toContain('tool_choice')
  expect(await refusalOf({ temperature: 0 })).toContain('temperature')
})

it('says which field the version of a request no longer has', async () => {
  await using sim = createSimulator()
  const transport = {
    call: (path: string, init?: RequestInit) => sim.fetch(`https://gateway.test${path}`, init),
  }
  const hintOf = async (version: string): Promise<[number, string | null]> => {
    const body = { ...hello, top_k: 5 }
    const response = await postMessage(transport, body, { 'anthropic-version': version })
    return [response.status, response.headers.get('x-greenroom-hint')]
  }
  expect(await hintOf('2023-06-01')).toEqual([200, null])
  expect(await hintOf('2026-10-21')).toEqual([200, expect.stringContaining('refuses top_k since version')])
})

describeTransports((open) => {
  it('writes every refusal in its own envelope, with the id of the request', async () => {
    await using transport = await open({
      models: [{ name: textModel, kind: 'text' }],
      limits: { bodyMegabytes: 1 },
    })
    const refusals: readonly (readonly [number, string, Promise<Response>])[] = [
      [401, 'authentication_error', postMessage(transport, hello, { 'x-api-key': 'none' })],
      [400, 'invalid_request_error', postMessage(transport, hello, { 'anthropic-version': 'latest' })],
      [503, 'not_found_error', postMessage(transport, { ...hello, model: 'other' })],
      [400, 'invalid_request_error', postMessage(transport, { ...hello, model: 7 })],
      [400, 'invalid_request_error', postMessage(transport, { ...hello, padding: 'x'.repeat(2 ** 20) })],
      [
        400,
        'invalid_request_error',
        postJson(transport, '/v1/messages', '{"model":', { headers: clientHeaders }),
      ],
      [404, 'not_found_error', postJson(transport, '/v1/messages/batches', {}, { headers: clientHeaders })],
      [
        400,
        'invalid_request_error',
        postJson(transport, '/v1/messages/count_tokens', { model: textModel }, { headers: clientHeaders }),
      ],
      [529, 'overloaded_error', postMessage(transport, ask('[[error 529]]'))],
      [500, 'api_error', postMessage(transport, ask('[[error 500]]'))],
      [413, 'request_too_large', postMessage(transport, ask('[[error 413]]'))],
    ]
    for (const [status, type, sent] of refusals) {
      const response = await sent
      expect([response.status, await response.json()]).toEqual([
        status,
        {
          type: 'error',
          error: { type, message: expect.stringMatching(/./) },
          request_id: response.headers.get('request-id'),
        },
      ])
    }
  })

  it('says when to try again after 429, by a rule and by a rate', async () => {
    await using transport = await open({
      throttles: [{ match: { op: 'messages.*' }, rate: { requests: 1, per: '1m' } }],
      clock: { mode: 'manual' },
    })
    transport.sim.next('messages.*', { respond: { status: 429, retryAfter: '7s' } })
    const byRule = await postMessage(transport, hello)
    const byRate = await postMessage(transport, hello)
    for (const response of [byRule, byRate]) {
      expect(response.status).toBe(429)
      expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } })
    }
    expect([byRule, byRate].map(({ headers }) => headers.get('retry-after'))).toEqual(['7', '60'])
  })

  it('gives the type and the message that a rule says', async () => {
    await using transport = await open()
    transport.sim.next('messages.create', { respond: { status: 529, error: { message: 'Overloaded' } } })
    expect(await (await postMessage(transport, hello)).json()).toMatchObject({
      error: { type: 'overloaded_error', message: 'Overloaded' },
    })
    transport.sim.next('messages.create', {
      respond: { status: 400, error: { type: 'billing_error', message: 'No credit' } },
    })
    expect(await (await postMessage(transport, hello)).json()).toMatchObject({
      error: { type: 'billing_error', message: 'No credit' },
    })
  })

  it('sends an error as an event in the middle of a stream, by a directive and by a rule', async () => {
    await using transport = await open({ text: { timing: 'instant' } })
    const stream = { stream: true, ...ask('[[error 529 after 2]] Why do kites fly?') }
    const byDirective = await postMessage(transport, stream)
    transport.sim.next('messages.create', {
      stream: { error: { afterChunk: 2, status: 529, message: 'Overloaded' } },
    })
    const byRule = await postMessage(transport, { ...hello, stream: true })
    for (const response of [byDirective, byRule]) {
      expect(response.status).toBe(200)
      const events = messageEvents(await response.text())
      expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
        'message_start',
        'content_block_start',
        'ping',
      ])
      expect(events.at(-2)!.type).toBe('content_block_delta')
      expect(events.at(-1)).toEqual({
        type: 'error',
        error: { type: 'overloaded_error', message: expect.stringMatching(/overloaded/i) },
        request_id: response.headers.get('request-id'),
      })
    }
  })
})
