import { readFileSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { needs } from '../support/needs.ts'

const png = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

const model = 'sim-text-1'

needs('messages.create')

const clientOf = (transport: OpenTransport, apiKey = 'sk-test', maxRetries = 0): Anthropic =>
  new Anthropic({ apiKey, baseURL: transport.url, fetch: transport.fetch, maxRetries })

const ask = (content: string) => ({
  model,
  max_tokens: 1_000,
  messages: [{ role: 'user' as const, content }],
})

const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

const question = 'What is the weather in Oslo?'

describeTransports((open) => {
  it('writes a message for the official SDK, which has the id of the request', async () => {
    await using transport = await open()
    const message = await clientOf(transport).messages.create(ask('Why fly kites?'))
    expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' })
    const [block] = message.content
    expect(block).toMatchObject({ type: 'text', text: expect.stringMatching(/\w+ \w+/) })
    expect(message._request_id).toMatch(/^\d{23}/)
  })

  it('streams the events that the SDK puts together to the same message', async () => {
    await using transport = await open()
    const client = clientOf(transport)
    const whole = await client.messages.create(ask('Why fly kites?'))
    const stream = client.messages.stream(ask('Why fly kites?'))
    const pieces: string[] = []
    stream.on('text', (piece) => pieces.push(piece))
    const { id: _id, parsed_output: _parsed, ...message } = await stream.finalMessage()
    const { id: _other, ...expected } = whole
    expect(pieces.length).toBeGreaterThan(3)
    expect(message).toEqual(expected)
  })

  it('uses a tool, and speaks of its result in the turn after', async () => {
    await using transport = await open()
    const { messages } = clientOf(transport)
    const first = await messages.create({ ...ask(question), tools: [weather], tool_choice: { type: 'any' } })
    expect(first.stop_reason).toBe('tool_use')
    const [use] = first.content
    if (use?.type !== 'tool_use') throw new Error('the block is no use of a tool')
    expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Oslo' } })
    const second = await messages.create({
      ...ask(question),
      messages: [
        ...ask(question).messages,
        { role: 'assistant', content: first.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: '{"degrees":17}' }] },
      ],
      tools: [weather],
    })
    expect(second.content).toMatchObject([{ type: 'text', text: expect.stringContaining('17') }])
  })

  it('streams the input of a tool in pieces', async () => {
    await using transport = await open()
    const stream = clientOf(transport).messages.stream({ ...ask(question), tools: [weather] })
    let pieces = 0
    stream.on('inputJson', () => pieces++)
    const { content } = await stream.finalMessage()
    expect(pieces).toBeGreaterThan(1)
    expect(content).toMatchObject([{ type: 'tool_use', input: { city: 'Oslo' } }])
  })

  it('runs tools by itself until there is an answer, without the threads that its SDK tries first', async () => {
    await using transport = await open()
    const runner = clientOf(transport).beta.messages.toolRunner({
      ...ask(question),
      tools: [{ ...weather, run: () => '{"degrees":17}', parse: (input: unknown) => input }],
    })
    const { content } = await runner.runUntilDone()
    expect(transport.sim.journal().map(({ status }) => status)).toEqual([400, 200, 200])
    expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('17') }])
  })

  it('thinks, plain and streamed', async () => {
    await using transport = await open({ text: { timing: 'instant' } })
    const { messages } = clientOf(transport)
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
    const fields = { ...ask('Why fly kites?'), max_tokens: 4_000, thinking }
    const { content } = await messages.create(fields)
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect((await messages.stream(fields).finalMessage()).content).toEqual(content)
    const next = [...fields.messages, { role: 'assistant' as const, content }, { role: 'user' as const, content: 'Go on' }] // prettier-ignore
    expect((await messages.create({ ...fields, messages: next })).stop_reason).toBe('end_turn')
  })

  it('parses what zod describes, as its helper writes it', async () => {
    await using transport = await open()
    const Person = z.object({ name: z.string(), age: z.number().int(), email: z.email().nullable() })
    const format = zodOutputFormat(Person)
    const request = { ...ask('Invent a person'), output_config: { format } }
    const { parsed_output } = await clientOf(transport).messages.parse(request)
    expect(Person.parse(parsed_output)).toEqual(parsed_output)
  })

  it('sees images, and counts tokens before it sends them', async () => {
    await using transport = await open()
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: png.toString('base64') }
    const content = [
      { type: 'image' as const, source },
      { type: 'text' as const, text: 'What is this?' },
    ]
    const messages = [{ role: 'user' as const, content }]
    const client = clientOf(transport)
    const { input_tokens } = await client.messages.countTokens({ model, messages })
    expect(input_tokens).toBeGreaterThan(258)
    const { usage } = await client.messages.create({ model, max_tokens: 10, messages })
    expect(usage.input_tokens).toBe(input_tokens)
  })

  it('is left in the middle of a stream', async () => {
    await using transport = await open({
      text: { timing: { tokensPerSecond: 1 } },
      clock: { mode: 'manual' },
    })
    const stream = await clientOf(transport).messages.create({ ...ask('tell a story'), stream: true })
    for await (const { type } of stream) {
      expect(type).toBe('message_start')
      break
    }
    await expect.poll(() => transport.sim.journal()[0]!.outcome).toBe('aborted')
    expect(transport.sim.clock.status().waiters).toBe(0)
  })

  it.each([
    ['sk', {}, Anthropic.AuthenticationError, 401, 'authentication_error'],
    ['sk-test', { messages: [] }, Anthropic.BadRequestError, 400, 'invalid_request_error'],
    ['sk-test', { temperature: 2 }, Anthropic.BadRequestError, 400, 'invalid_request_error'],
    ['sk-test', ask('x [[error 403]]'), Anthropic.PermissionDeniedError, 403, 'permission_error'],
    ['sk-test', ask('x [[error 429]]'), Anthropic.RateLimitError, 429, 'rate_limit_error'],
    ['sk-test', ask('x [[error 500]]'), Anthropic.InternalServerError, 500, 'api_error'],
    ['sk-test', ask('x [[error 529]]'), Anthropic.OverloadedError, 529, 'overloaded_error'],
  ])(
    'throws the class of error that belongs to the status: %s %j',
    async (key, fields, kind, status, type) => {
      await using transport = await open()
      const pending = clientOf(transport, key).messages.create({ ...ask('hi'), ...fields })
      const error: unknown = await pending.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(kind)
      expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^\d{23}/) })
    },
  )

  it('throws an overload in the middle of a stream', async () => {
    await using transport = await open()
    const stream = clientOf(transport).messages.stream(ask('tell a story [[error 529 after 3]]'))
    const error: unknown = await stream.finalMessage().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Anthropic.APIError)
    expect(error).toMatchObject({ type: 'overloaded_error' })
  })

  it('throws for a stream that ends before its last event', async () => {
    await using transport = await open({ text: { timing: 'instant' } })
    transport.sim.next('messages.create', { stream: { cut: { afterChunk: 2 } } })
    const stream = clientOf(transport).messages.stream(ask('tell a story'))
    await expect(stream.finalMessage()).rejects.toThrow('stream ended without producing a Message')
    await expect(
      clientOf(transport).messages.stream(ask('Why? [[cut after 3]]')).finalMessage(),
    ).rejects.toThrow()
  })

  it('comes again after 429 when the SDK retries, as the header says', async () => {
    // Only the SDK's wait of a second: it sleeps in real time.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await using transport = await open({
      throttles: [{ match: { op: 'messages.*' }, rate: { requests: 1, per: '1s' } }],
    })
    const client = clientOf(transport, 'sk-test', 1)
    await client.messages.create(ask('one'))
    const again = client.messages.create(ask('two'))
    await expect.poll(() => transport.sim.journal().at(-1)!.status).toBe(429)
    await transport.sim.clock.advance('1s')
    const requestsAfter = async (waitMs: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(waitMs)
      return transport.sim.journal().length
    }
    await expect.poll(() => requestsAfter(1_000)).toBe(3)
    expect((await again).content).toHaveLength(1)
    expect(transport.sim.journal().map(({ status }) => status)).toEqual([200, 429, 200])
  })

  it('lists and retrieves models', async () => {
    await using transport = await open()
    const { models } = clientOf(transport)
    const listed = []
    for await (const { id } of models.list()) listed.push(id)
    expect(listed).toContain(model)
    expect(await models.retrieve(model)).toMatchObject({ id: model, type: 'model', lifecycle: 'active' })
    await expect(models.retrieve('unknown')).rejects.toMatchObject({ status: 404, type: 'not_found_error' })
  })
})
