import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  clientHeaders,
  message,
  messageEvents,
  messageText,
  postMessage,
  weatherTool,
  type MessageBlock,
} from '../../support/messages.ts'
import { ask, postChat, postJson, textModel } from '../../support/text.ts'
import { describeTransportsAnd } from '../../support/transports.ts'
import { authorization } from '../../support/video.ts'

const png = readFileSync(new URL('../../../fixtures/pictures/kite-64x48.png', import.meta.url)).toString(
  'base64',
)
const question = 'What is the weather in Oslo?'

describeTransportsAnd('express')((open) => {
  it('answers with one block of text, and with what it cost', async () => {
    await using transport = await open({ text: { timing: 'instant', answers: [{ text: 'Paris.' }] } })
    const response = await postMessage(transport, { ...ask('Capital of France?'), system: 'Be brief.' })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^msg_01\w{22}$/),
      type: 'message',
      role: 'assistant',
      model: textModel,
      content: [{ type: 'text', text: 'Paris.', citations: [] }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 2,
        output_tokens_details: { thinking_tokens: 0 },
        server_tool_use: null,
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        inference_geo: null,
        service_tier: 'standard',
        speed: null,
      },
    })
  })

  it('says the same as a chat', async () => {
    await using transport = await open()
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Why do kites fly?' },
    ]
    const system = { role: 'system', content: 'Be brief.' }
    const { choices } = (await (
      await postChat(transport, { messages: [system, ...messages], max_tokens: 1_000 })
    ).json()) as { choices: { message: { content: string } }[] }
    const expected = choices[0]!.message.content
    expect(messageText(await message(transport, { messages, system: 'Be brief.' }))).toBe(expected)
    const blocks = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }]
    expect(messageText(await message(transport, { messages, system: blocks }))).toBe(expected)
    expect(messageText(await message(transport, { messages: [system, ...messages] }))).toBe(expected)
  })

  it('streams named events in their order', async () => {
    await using transport = await open({ text: { timing: 'instant', answers: [{ text: 'Oh no' }] } })
    const response = await postMessage(transport, { ...ask('Hi'), stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    const events = messageEvents(await response.text())
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events[0]!.message).toMatchObject({ content: [], stop_reason: null, usage: { input_tokens: 1 } })
    expect(events[1]!.content_block).toEqual({ type: 'text', text: '', citations: [] })
    expect(events.slice(3, 5).map(({ delta }) => delta)).toEqual([
      { type: 'text_delta', text: 'Oh' },
      { type: 'text_delta', text: ' no' },
    ])
    expect(events[6]).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } })
  })

  it('uses tools, and goes on after their results', async () => {
    await using transport = await open()
    const both = { role: 'user', content: 'What is the weather in Oslo and in Paris?' }
    const first = await message(transport, { messages: [both], tools: [weatherTool] })
    expect(first.stop_reason).toBe('tool_use')
    expect(first.content).toMatchObject([
      {
        type: 'tool_use',
        id: expect.stringMatching(/^toolu_01/),
        name: 'get_weather',
        input: { city: 'Oslo' },
      },
      { type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } },
    ])
    const results = first.content.map(({ id }, index) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: index === 0 ? '{"degrees":17}' : [{ type: 'text', text: '{"degrees":21}' }],
    }))
    const messages = [both, { role: 'assistant', content: first.content }, { role: 'user', content: results }]
    const second = await message(transport, { messages, tools: [weatherTool] })
    expect(second.stop_reason).toBe('end_turn')
    expect(messageText(second)).toMatch(/17[^]*21/)
    const prompts = transport.sim.journal().map(({ prompt }) => prompt)
    expect(prompts).toEqual([both.content, both.content])
  })

  it('streams the input of a tool as pieces of JSON', async () => {
    await using transport = await open()
    const response = await postMessage(transport, { ...ask(question), tools: [weatherTool], stream: true })
    const events = messageEvents(await response.text())
    expect(events[1]!.content_block).toMatchObject({ type: 'tool_use', name: 'get_weather', input: {} })
    const pieces = events.flatMap(({ delta }) =>
      delta?.type === 'input_json_delta' ? [delta.partial_json] : [],
    )
    expect(pieces.length).toBeGreaterThan(1)
    expect(JSON.parse(pieces.join(''))).toEqual({ city: 'Oslo' })
    expect(events.at(-2)!.delta!.stop_reason).toBe('tool_use')
  })

  it('follows the choice of a tool', async () => {
    await using transport = await open()
    const other = { ...weatherTool, name: 'get_time', description: 'The time of a city' }
    const usesWith = async (choice: object, prompt = question): Promise<unknown[]> => {
      const fields = { ...ask(prompt), tools: [weatherTool, other], tool_choice: choice }
      return (await message(transport, fields)).content.map(({ name }) => name)
    }
    expect(await usesWith({ type: 'auto' })).toEqual(['get_weather'])
    expect(await usesWith({ type: 'none' })).toEqual([undefined])
    expect(await usesWith({ type: 'any' }, 'Hi')).toHaveLength(1)
    expect(await usesWith({ type: 'tool', name: 'get_time' })).toEqual(['get_time'])
    const both = 'What is the weather in Oslo and in Paris?'
    expect(await usesWith({ type: 'auto', disable_parallel_tool_use: true }, both)).toHaveLength(1)
  })

  it('thinks in a block of its own, which a client sends back unchanged', async () => {
    await using transport = await open()
    const thinking = { type: 'enabled', budget_tokens: 1_024 }
    const request = { ...ask('Why do kites fly?'), thinking, max_tokens: 4_000 }
    const { content } = await message(transport, request)
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect(content[0]!.signature).not.toBe('')
    const turnAfter = (blocks: MessageBlock[]): Promise<Response> =>
      postMessage(transport, {
        messages: [
          ...request.messages,
          { role: 'assistant', content: blocks },
          { role: 'user', content: 'Go on.' },
        ],
      })
    expect((await turnAfter(content)).status).toBe(200)
    const changed = await turnAfter([{ ...content[0]!, thinking: 'Otherwise.' }, content[1]!])
    expect(changed.status).toBe(400)
    expect(await changed.text()).toContain('messages.1.content.0: Invalid `signature` in `thinking` block')
  })

  it('streams thoughts and then their signature', async () => {
    await using transport = await open({ text: { timing: 'instant' } })
    const fields = { ...ask('Hi'), thinking: { type: 'adaptive' }, stream: true }
    const events = messageEvents(await (await postMessage(transport, fields)).text())
    const first = events.filter(({ index }) => index === 0)
    expect(first[0]!.content_block).toEqual({ type: 'thinking', thinking: '', signature: '' })
    expect(new Set(first.map(({ delta }) => delta?.type))).toEqual(
      new Set([undefined, 'thinking_delta', 'signature_delta']),
    )
    expect(first.at(-2)!.delta!.type).toBe('signature_delta')
    const { content } = await message(transport, { ...fields, stream: false })
    expect(first.map(({ delta }) => delta?.thinking ?? '').join('')).toBe(content[0]!.thinking)
  })

  it('sends the signature only of thoughts that are omitted, and counts them', async () => {
    await using transport = await open({ text: { timing: 'instant' } })
    const fields = { ...ask('Hi'), thinking: { type: 'adaptive', display: 'omitted' } }
    const { content, usage } = await message(transport, fields)
    expect(content[0]).toMatchObject({
      type: 'thinking',
      thinking: '',
      signature: expect.stringMatching(/./),
    })
    expect(usage).toMatchObject({ output_tokens_details: { thinking_tokens: expect.any(Number) } })
    expect(usage.output_tokens).toBeGreaterThan(10)
    const streamed = messageEvents(await (await postMessage(transport, { ...fields, stream: true })).text())
    expect(streamed.filter(({ index }) => index === 0).map(({ type, delta }) => delta?.type ?? type)).toEqual(
      ['content_block_start', 'signature_delta', 'content_block_stop'],
    )
  })

  it('ends at the limit of tokens, or before a stop sequence', async () => {
    await using transport = await open({ text: { answers: [{ text: 'One two three four.' }] } })
    const short = await message(transport, { ...ask('Count'), max_tokens: 2 })
    expect([messageText(short), short.stop_reason, short.stop_sequence]).toEqual([
      'One two',
      'max_tokens',
      null,
    ])
    const stopped = await message(transport, { ...ask('Count'), stop_sequences: ['four', ' three'] })
    expect([messageText(stopped), stopped.stop_reason, stopped.stop_sequence]).toEqual([
      'One two',
      'stop_sequence',
      ' three',
    ])
    const none = await message(transport, { ...ask('Count'), max_tokens: 0 })
    expect([none.content, none.stop_reason]).toEqual([[], 'max_tokens'])
  })

  it('says that a prompt is refused by its stop reason', async () => {
    await using transport = await open()
    const refused = await message(transport, ask('[[block]] How to?'))
    expect(refused).toMatchObject({
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'Refused for safety.' },
    })
    const events = messageEvents(
      await (await postMessage(transport, { ...ask('[[block]]'), stream: true })).text(),
    )
    expect(events.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop'])
  })

  it('sees images, and reads documents', async () => {
    await using transport = await open()
    const inputOf = async (...blocks: object[]): Promise<number> => {
      const content = [...blocks, { type: 'text', text: 'What is this?' }]
      return (await message(transport, { messages: [{ role: 'user', content }] })).usage.input_tokens
    }
    const plain = await inputOf()
    const source = { type: 'base64', media_type: 'image/png', data: png }
    expect(await inputOf({ type: 'image', source })).toBe(plain + 258)
    expect(await inputOf({ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } })).toBe(
      plain + 258,
    )
    const text = { type: 'text', media_type: 'text/plain', data: 'One two three.' }
    expect(await inputOf({ type: 'document', source: text })).toBeGreaterThan(plain)
  })

  it('answers by a schema, in the place of today or of the beta', async () => {
    await using transport = await open()
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', schema }
    for (const fields of [{ output_config: { format } }, { output_format: format }]) {
      const answer = await message(transport, { ...ask('Invent a person'), ...fields })
      expect(JSON.parse(messageText(answer))).toEqual({ name: expect.any(String), age: expect.any(Number) })
    }
  })

  it('counts the tokens that a message is charged for', async () => {
    await using transport = await open()
    const body = { model: textModel, ...ask(question), system: 'Be brief.', tools: [weatherTool] }
    const response = await postJson(transport, '/v1/messages/count_tokens', body, { headers: clientHeaders })
    expect(response.headers.get('request-id')).not.toBeNull()
    const { usage } = await message(transport, body)
    expect(await response.json()).toEqual({ input_tokens: usage.input_tokens })
  })

  it('takes the key in either header, that of its own clients first', async () => {
    await using transport = await open({ keys: [{ key: 'sk-one' }] })
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (await postMessage(transport, ask('Hi'), { 'x-api-key': '', ...headers })).status
    expect(await statusWith({ 'x-api-key': 'sk-one' })).toBe(200)
    expect(await statusWith({ authorization: 'Bearer sk-one' })).toBe(200)
    expect(await statusWith({ 'x-api-key': 'sk-two', authorization: 'Bearer sk-one' })).toBe(401)
    expect(await statusWith({})).toBe(401)
  })

  it('hints at what is accepted without effect', async () => {
    await using transport = await open()
    const hintOf = async (fields: object, headers = {}): Promise<string | null> =>
      (await postMessage(transport, { ...ask('Hi'), ...fields }, headers)).headers.get('x-greenroom-hint')
    expect(await hintOf({ metadata: { user_id: 'u' }, temperature: 0.5, top_k: 3 })).toBeNull()
    expect(await hintOf({ speed: 'fast', container: 'c1' })).toBe(
      'container, speed are accepted without effect.',
    )
    const search = { type: 'web_search_20250305', name: 'web_search' }
    expect(await hintOf({ service_tier: 'auto', diagnostics: {}, speed: null })).toBe(
      'diagnostics, service_tier are accepted without effect.',
    )
    expect(await hintOf({ tools: [search], stream: true })).toContain('Tools of type web_search_20250305')
    expect(await hintOf({}, { 'anthropic-version': '' })).toContain('anthropic-version is missing')
  })

  it('follows rules, scripted answers and directives like a chat', async () => {
    await using transport = await open({
      rules: [
        {
          match: { op: 'messages.create', prompt: '*scripted*' },
          answer: { text: 'As scripted.', finish: 'length' },
        },
      ],
    })
    const scripted = await message(transport, ask('A scripted one'))
    expect([messageText(scripted), scripted.stop_reason]).toEqual(['As scripted.', 'max_tokens'])
    expect(messageText(await message(transport, ask('[[say: Hello.]]')))).toBe('Hello.')
    transport.sim.next('messages.create', { stream: { finishReason: 'pause_turn' } })
    expect((await message(transport, ask('Hi'))).stop_reason).toBe('pause_turn')
    expect(transport.sim.journal({ operation: 'messages.create' })[0]).toMatchObject({
      model: textModel,
      prompt: 'A scripted one',
      status: 200,
    })
  })

  it('charges the key for its tokens', async () => {
    await using transport = await open({ keys: [{ key: 'sk-test', balance: 0 }] })
    const response = await postMessage(transport, ask('Hi'))
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'billing_error' } })
  })
})

it('serves the models in the form of its clients, and refuses unknown ones in their envelope', async () => {
  const { createSimulator } = await import('../../../src/index.ts')
  await using sim = createSimulator()
  const get = (path: string): Promise<Response> =>
    sim.fetch(`https://gateway.test${path}`, { headers: { ...clientHeaders, authorization: '' } })
  const { data } = (await (await get('/v1/models')).json()) as { data: { id: string }[] }
  expect(await (await get(`/v1/models/${data[0]!.id}`)).json()).toEqual(data[0])
  const unknown = await get('/v1/models/none')
  expect([unknown.status, unknown.headers.get('request-id')]).toEqual([
    404,
    unknown.headers.get('x-request-id'),
  ])
  expect(await unknown.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
  const plain = await sim.fetch('https://gateway.test/v1/models/none', { headers: { authorization } })
  expect(await plain.json()).toMatchObject({ error: { code: 'model_not_found' } })
})
