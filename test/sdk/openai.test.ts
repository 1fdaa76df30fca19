import { readFileSync } from 'node:fs'
import OpenAI, { BadRequestError } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { z as zod3 } from 'zod/v3'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { needs } from '../support/needs.ts'

const png = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

const model = 'sim-text-1'

const clientOf = (transport: OpenTransport, apiKey = 'sk-test', maxRetries = 0): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${transport.url}/v1`, fetch: transport.fetch, maxRetries })

const user = (content: string) => ({ role: 'user' as const, content })

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    },
  },
}

describeTransports((open) => {
  it('completes a chat for the official SDK', async () => {
    await using transport = await open()
    const completion = await clientOf(transport).chat.completions.create({
      model,
      messages: [user('Why fly kites?')],
    })
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-\d{23}/),
      object: 'chat.completion',
      model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', refusal: null } }],
    })
    expect(completion.choices[0]!.message.content).toMatch(/\w+ \w+/)
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!
    expect(prompt_tokens + completion_tokens).toBe(total_tokens)
    expect(completion._request_id).toBe(completion.id.replace('chatcmpl-', ''))
  })

  it('streams the same pieces that the SDK puts together', async () => {
    await using transport = await open()
    const stream = clientOf(transport).chat.completions.stream({
      model,
      messages: [user('Why fly kites?')],
      stream_options: { include_usage: true },
    })
    let pieces = ''
    let count = 0
    stream.on('content', (delta) => {
      pieces += delta
      count++
    })
    const whole = await stream.finalChatCompletion()
    expect(count).toBeGreaterThan(3)
    expect(whole.choices[0]!.message.content).toBe(pieces)
    expect(whole.choices[0]!.finish_reason).toBe('stop')
    expect(whole.usage!.completion_tokens).toBeGreaterThan(0)
  })

  it('sends usage in a stream by default', async () => {
    await using transport = await open()
    const usages = async (options: object): Promise<unknown[]> => {
      const stream = await clientOf(transport).chat.completions.create({
        model,
        messages: [user('hi')],
        stream: true,
        ...options,
      })
      const seen: unknown[] = []
      for await (const { usage } of stream) if (usage) seen.push(usage)
      return seen
    }
    expect(await usages({})).toHaveLength(1)
    expect(await usages({ stream_options: { include_usage: true } })).toHaveLength(1)
    expect(await usages({ stream_options: { include_usage: false } })).toHaveLength(0)
  })

  it('calls a tool, and speaks of its result in the turn after', async () => {
    await using transport = await open()
    const client = clientOf(transport)
    const question = [user('What is the weather in Oslo?')]
    const first = await client.chat.completions.create({
      model,
      messages: question,
      tools: [weather],
      tool_choice: 'required',
    })
    const { message, finish_reason } = first.choices[0]!
    expect(finish_reason).toBe('tool_calls')
    const [call] = message.tool_calls!
    if (call?.type !== 'function') throw new Error('the tool is not a function')
    expect(call).toMatchObject({
      id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
      function: { name: 'get_weather' },
    })
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Oslo' })

    const second = await client.chat.completions.create({
      model,
      messages: [
        ...question,
        message,
        { role: 'tool', tool_call_id: call.id, content: '{"temperature": 17}' },
      ],
      tools: [weather],
    })
    expect(second.choices[0]!.message.content).toContain('17')
    expect(second.choices[0]!.finish_reason).toBe('stop')
  })

  it('streams the arguments of a tool in pieces', async () => {
    await using transport = await open()
    const stream = clientOf(transport).chat.completions.stream({
      model,
      messages: [user('What is the weather in Oslo?')],
      tools: [weather],
      tool_choice: { type: 'function', function: { name: 'get_weather' } },
    })
    let deltas = 0
    stream.on('tool_calls.function.arguments.delta', () => deltas++)
    const { choices } = await stream.finalChatCompletion()
    expect(deltas).toBeGreaterThan(1)
    expect(choices[0]!.finish_reason).toBe('tool_calls')
    const [call] = choices[0]!.message.tool_calls!
    expect(JSON.parse((call as { function: { arguments: string } }).function.arguments)).toEqual({
      city: 'Oslo',
    })
  })

  it('answers by a schema', async () => {
    await using transport = await open()
    const completion = await clientOf(transport).chat.completions.parse({
      model,
      messages: [user('Invent a person')],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'person',
          strict: true,
          schema: {
            type: 'object',
            properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 120 } },
            required: ['name', 'age'],
            additionalProperties: false,
          },
        },
      },
    })
    const person = JSON.parse(completion.choices[0]!.message.content!) as { name: string; age: number }
    expect(person).toEqual({ name: expect.any(String), age: expect.any(Number) })
    expect(person.age).toBeLessThanOrEqual(120)
  })

  it.each([
    ['zod 3', zodResponseFormat(zod3.object({ name: zod3.string().nullable(), tags: zod3.tuple([zod3.string(), zod3.number()]) }), 'cat')], // prettier-ignore
    ['zod 4', zodResponseFormat(z.object({ name: z.string().nullable(), email: z.email(), born: z.iso.date() }), 'cat')], // prettier-ignore
  ])('parses what %s describes, as its helper writes it', async (_zod, response_format) => {
    await using transport = await open()
    const request = { model, messages: [user('Invent a cat.')], response_format }
    const { choices } = await clientOf(transport).chat.completions.parse(request)
    expect(choices[0]!.message.parsed).toMatchObject({ name: expect.anything() })
  })

  it('throws what structured outputs refuse', async () => {
    await using transport = await open()
    const schema = { type: 'object', properties: { name: { type: 'string' } } }
    const request = clientOf(transport).chat.completions.create({
      model,
      messages: [user('Invent a cat.')],
      response_format: { type: 'json_schema', json_schema: { name: 'cat', strict: true, schema } },
    })
    const error: unknown = await request.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BadRequestError)
    expect(error).toMatchObject({
      status: 400,
      param: 'response_format',
      message: expect.stringContaining("'additionalProperties' is required to be supplied and to be false."),
    })
  })

  it('counts pictures, and gives as many answers as are wanted', async () => {
    await using transport = await open()
    const url = `data:image/png;base64,${png.toString('base64')}`
    const text = { type: 'text' as const, text: 'What is this?' }
    const client = clientOf(transport)
    const without = await client.chat.completions.create({ model, n: 3, messages: [user(text.text)] })
    const completion = await client.chat.completions.create({
      model,
      n: 3,
      messages: [{ role: 'user', content: [text, { type: 'image_url', image_url: { url } }] }],
    })
    expect(completion.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(completion.usage!.prompt_tokens).toBeGreaterThan(without.usage!.prompt_tokens)
  })

  it('shows log probabilities and thoughts to those who ask', async () => {
    await using transport = await open()
    const completion = await clientOf(transport).chat.completions.create({
      model,
      messages: [user('Why fly kites?')],
      logprobs: true,
      top_logprobs: 2,
      reasoning_effort: 'low',
    })
    const { message, logprobs } = completion.choices[0]!
    expect(logprobs!.content!.map(({ token }) => token).join('')).toBe(message.content)
    expect(logprobs!.content![0]).toMatchObject({ logprob: expect.any(Number), top_logprobs: [{}, {}] })
    expect(message).toMatchObject({ reasoning_content: expect.any(String) })
    expect(completion.usage!.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(0)
  })

  it('is left in the middle of a stream', async () => {
    await using transport = await open({
      text: { timing: { tokensPerSecond: 1 } },
      clock: { mode: 'manual' },
    })
    const stream = await clientOf(transport).chat.completions.create({
      model,
      messages: [user('tell a story')],
      stream: true,
    })
    for await (const chunk of stream) {
      expect(chunk.choices[0]!.delta.role).toBe('assistant')
      break
    }
    await expect.poll(() => transport.sim.journal()[0]!.outcome).toBe('aborted')
    expect(transport.sim.clock.status().waiters).toBe(0)
  })

  it.each([
    ['sk', {}, OpenAI.AuthenticationError, 401],
    ['sk-test', { messages: [] }, OpenAI.BadRequestError, 400],
    ['sk-test', { n: 1000 }, OpenAI.BadRequestError, 400],
    ['sk-test', { messages: [user('x [[block]]')] }, OpenAI.BadRequestError, 400],
    ['sk-test', { messages: [user('x [[error 429]]')] }, OpenAI.RateLimitError, 429],
    ['sk-test', { messages: [user('x [[error 503]]')] }, OpenAI.InternalServerError, 503],
  ])('throws the class of error that belongs to the status: %s %j', async (key, fields, kind, status) => {
    await using transport = await open()
    const pending = clientOf(transport, key).chat.completions.create({
      model,
      messages: [user('hi')],
      ...fields,
    })
    const error: unknown = await pending.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(kind)
    expect(error).toMatchObject({ status, message: expect.stringMatching(/^\d{3} \S+/) })
  })

  it('throws where an error comes in the middle of a stream', async () => {
    await using transport = await open()
    const stream = await clientOf(transport).chat.completions.create({
      model,
      messages: [user('tell a story [[error 503 after 3: too busy]]')],
      stream: true,
    })
    let seen = 0
    const read = async (): Promise<void> => {
      for await (const _ of stream) seen++
    }
    await expect(read()).rejects.toThrow('too busy')
    expect(seen).toBeGreaterThan(2)
  })

  it('comes again after 429 when the SDK retries, as the header says', async () => {
    // Only the SDK's wait of a second: it sleeps in real time.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await using transport = await open({
      throttles: [{ match: { op: 'chat.*' }, rate: { requests: 1, per: '1s' } }],
    })
    const client = clientOf(transport, 'sk-test', 1)
    await client.chat.completions.create({ model, messages: [user('one')] })
    const again = client.chat.completions.create({ model, messages: [user('two')] })
    await expect.poll(() => transport.sim.journal().at(-1)!.status).toBe(429)
    await transport.sim.clock.advance('1s')
    const requestsAfter = async (waitMs: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(waitMs)
      return transport.sim.journal().length
    }
    await expect.poll(() => requestsAfter(1_000)).toBe(3)
    expect((await again).choices).toHaveLength(1)
    expect(transport.sim.journal().map(({ status }) => status)).toEqual([200, 429, 200])
  })

  it('lists and retrieves models', async () => {
    await using transport = await open()
    const client = clientOf(transport)
    const listed: string[] = []
    for await (const { id } of client.models.list()) listed.push(id)
    expect(listed).toContain(model)
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
    await expect(client.models.retrieve('unknown')).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })

  it('writes, streams, continues, reads and deletes a response', async () => {
    needs('responses.create')
    await using transport = await open()
    const { responses } = clientOf(transport)
    const first = await responses.create({ model, input: 'Why fly kites?', reasoning: { effort: 'low' } })
    expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(first.output_text).toMatch(/\w+ \w+/)
    const stream = responses.stream({ model, input: 'And boats?', previous_response_id: first.id })
    let text = ''
    stream.on('response.output_text.delta', ({ delta }) => (text += delta))
    const second = await stream.finalResponse()
    expect([second.output_text, second.previous_response_id]).toEqual([text, first.id])
    expect((await responses.retrieve(second.id)).output_text).toBe(text)
    const items = []
    for await (const item of responses.inputItems.list(second.id, { limit: 1 })) items.push(item)
    expect(items).toMatchObject([{ role: 'user', content: [{ text: 'And boats?' }] }])
    await responses.delete(second.id)
    await expect(responses.retrieve(second.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
  })

  it('parses a response by its schema, and calls a function', async () => {
    needs('responses.create')
    await using transport = await open()
    const { responses } = clientOf(transport)
    const { parameters } = weather.function
    const format = { type: 'json_schema', name: 'answer', schema: parameters, strict: true } as const
    const parsed = await responses.parse({ model, input: 'A city', text: { format } })
    expect(JSON.parse(parsed.output_text)).toEqual({ city: expect.any(String) })
    const tools = [{ ...weather.function, type: 'function' as const, strict: true }]
    const asking = { role: 'user' as const, content: 'What is the weather in Oslo?' }
    const { output } = await responses.create({ model, input: [asking], tools })
    const call = output.find((item) => item.type === 'function_call')!
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: '{"degrees":21}' }
    const input = [asking, ...output, result] as OpenAI.Responses.ResponseInput
    expect((await responses.create({ model, input, tools })).output_text).toContain('21')
  })

  it('ends a response with response.failed where an error comes in its middle, and throws for one that continues none', async () => {
    needs('responses.create')
    await using transport = await open()
    const { responses } = clientOf(transport)
    const stream = await responses.create({ model, input: 'x [[error 503 after 3: busy]]', stream: true })
    const events: unknown[] = []
    for await (const event of stream) events.push(event)
    expect(events).toContainEqual(expect.objectContaining({ type: 'response.output_text.delta' }))
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error', message: 'busy' } },
    })
    const unknown = responses.create({ model, input: 'x', previous_response_id: 'resp_none' })
    await expect(unknown).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' })
  })

  it('embeds texts, as base64 unless the client wants numbers', async () => {
    await using transport = await open()
    needs('embeddings.create')
    const { embeddings } = clientOf(transport)
    const fields = { model: 'sim-embedding-1', input: ['a red kite', 'a boat'], dimensions: 8 }
    const decoded = await embeddings.create(fields)
    const { data } = await embeddings.create({ ...fields, encoding_format: 'float' })
    expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual(
      data.map(({ embedding }) => embedding.map(Math.fround)),
    )
    const refused = embeddings.create({ ...fields, dimensions: 5_000 })
    await expect(refused).rejects.toBeInstanceOf(OpenAI.BadRequestError)
  })
})
