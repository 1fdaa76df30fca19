import { readFileSync } from 'node:fs'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  embedMany,
  generateImage,
  generateText,
  jsonSchema,
  Output,
  hasToolCall,
  stepCountIs,
  streamText,
  tool,
  type LanguageModel,
} from 'ai'
import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'

const png = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

const name = 'sim-text-1'

const providers: Readonly<Record<string, (transport: OpenTransport, apiKey?: string) => LanguageModel>> = {
  google: (transport, apiKey = 'sk-test') =>
    createGoogleGenerativeAI({ baseURL: `${transport.url}/v1beta`, apiKey, fetch: transport.fetch })(name),
  openai: (transport, apiKey = 'sk-test') =>
    createOpenAI({ baseURL: `${transport.url}/v1`, apiKey, fetch: transport.fetch }).chat(name),
  'openai responses': (transport, apiKey = 'sk-test') =>
    createOpenAI({ baseURL: `${transport.url}/v1`, apiKey, fetch: transport.fetch })(name),
  anthropic: (transport, apiKey = 'sk-test') =>
    createAnthropic({ baseURL: `${transport.url}/v1`, apiKey, fetch: transport.fetch })(name),
  'openai-compatible': (transport, apiKey = 'sk-test') =>
    createOpenAICompatible({
      name: 'greenroom',
      baseURL: `${transport.url}/v1`,
      apiKey,
      fetch: transport.fetch,
      // Without this it asks for any JSON object, whatever the schema is.
      supportsStructuredOutputs: true,
    })(name),
}

const weather = tool({
  description: 'The weather of a city',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: ({ city }) => ({ city, temperature: 17 }),
})

describeTransports((open) => {
  it('google: says what to do instead of what is not offered', async () => {
    await using transport = await open()
    const { url, fetch } = transport
    const google = createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: 'sk-test', fetch })
    const drawn = generateImage({ model: google.image('imagen-4'), prompt: 'a kite', maxRetries: 0 })
    await expect(drawn).rejects.toThrow(/Images are made by POST \/v1\/images\/generations/)
  })

  it.each(Object.keys(providers))('%s: generates, with counts that add up', async (provider) => {
    await using transport = await open()
    const answer = await generateText({
      model: providers[provider]!(transport),
      system: 'Be brief.',
      prompt: 'Why fly kites?',
      // Anthropic's provider warns without it, since it does not know the model.
      maxOutputTokens: 1_000,
      maxRetries: 0,
    })
    expect(answer.text).toMatch(/\w+ \w+/)
    expect(answer.finishReason).toBe('stop')
    const { inputTokens, outputTokens, totalTokens } = answer.usage
    expect(inputTokens! + outputTokens!).toBe(totalTokens)
    expect(answer.warnings).toEqual([])
  })

  it.each(Object.keys(providers))('%s: streams text bit by bit', async (provider) => {
    await using transport = await open()
    const { textStream, text, finishReason } = streamText({
      model: providers[provider]!(transport),
      prompt: 'Why fly kites?',
      maxRetries: 0,
    })
    const pieces = []
    for await (const piece of textStream) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(3)
    expect(await text).toBe(pieces.join(''))
    expect(await finishReason).toBe('stop')
  })

  it.each(Object.keys(providers))(
    '%s: calls a tool by itself and goes on with its result',
    async (provider) => {
      await using transport = await open()
      const { steps, text } = await generateText({
        model: providers[provider]!(transport),
        prompt: 'What is the weather in Oslo?',
        tools: { get_weather: weather },
        stopWhen: stepCountIs(3),
        maxRetries: 0,
      })
      expect(steps).toHaveLength(2)
      expect(steps[0]!.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Oslo' } }])
      expect(steps[0]!.finishReason).toBe('tool-calls')
      expect(text).toContain('17')
    },
  )

  it.each(Object.keys(providers))('%s: streams a tool call', async (provider) => {
    await using transport = await open()
    const { toolCalls } = streamText({
      model: providers[provider]!(transport),
      prompt: 'What is the weather in Oslo?',
      tools: { get_weather: weather },
      toolChoice: 'required',
      maxRetries: 0,
    })
    expect(await toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Oslo' } }])
  })

  it.each(Object.keys(providers))('%s: answers by a schema', async (provider) => {
    await using transport = await open()
    const { output } = await generateText({
      model: providers[provider]!(transport),
      prompt: 'Invent a person',
      output: Output.object({
        schema: jsonSchema<{ name: string; age: number }>({
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 120 } },
          required: ['name', 'age'],
          additionalProperties: false,
        }),
      }),
      maxRetries: 0,
    })
    expect(output).toEqual({ name: expect.any(String), age: expect.any(Number) })
  })

  it.each(Object.keys(providers))('%s: sees a picture', async (provider) => {
    await using transport = await open()
    const { usage } = await generateText({
      model: providers[provider]!(transport),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', image: png, mediaType: 'image/png' },
          ],
        },
      ],
      maxRetries: 0,
    })
    expect(usage.inputTokens).toBeGreaterThan(50)
  })

  it.each(Object.keys(providers))('%s: reads the words and the status of an error', async (provider) => {
    await using transport = await open()
    const errorOf = (prompt: string, key?: string): Promise<unknown> =>
      generateText({ model: providers[provider]!(transport, key), prompt, maxRetries: 0 }).catch(
        (error: unknown) => error,
      )
    const badKey = await errorOf('hi', 'nonsense')
    expect(badKey).toBeInstanceOf(APICallError)
    expect(badKey).toMatchObject({
      statusCode: 401,
      isRetryable: false,
      message: expect.stringContaining('Invalid token'),
    })
    const busy = await errorOf('hi [[error 503: too busy]]')
    expect(busy).toMatchObject({ statusCode: 503, isRetryable: true, message: 'too busy' })
  })

  it.each(Object.keys(providers))('%s: is left in the middle of a stream', async (provider) => {
    await using transport = await open({
      text: { timing: { tokensPerSecond: 1 } },
      clock: { mode: 'manual' },
    })
    const leaving = new AbortController()
    const { fullStream } = streamText({
      model: providers[provider]!(transport),
      prompt: 'tell a story',
      abortSignal: leaving.signal,
      maxRetries: 0,
    })
    const kinds = new Set<string>()
    for await (const { type } of fullStream) {
      kinds.add(type)
      if (type === 'text-delta' || type === 'start-step') setImmediate(() => leaving.abort())
    }
    expect(kinds).toContain('abort')
    await expect.poll(() => transport.sim.journal()[0]?.outcome).toBe('aborted')
    expect(transport.sim.clock.status().waiters).toBe(0)
  })

  it.each(Object.keys(providers))('%s: comes to its stop tool if a call is required', async (provider) => {
    await using transport = await open()
    const answer = tool({
      description: 'Gives the answer',
      inputSchema: jsonSchema<{ text: string }>({
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      }),
      execute: ({ text }) => text,
    })
    const { steps } = await generateText({
      model: providers[provider]!(transport),
      tools: { answer, weather, time: { ...weather, description: 'The time of a city' } },
      toolChoice: 'required',
      stopWhen: [stepCountIs(10), hasToolCall('answer')],
      prompt: 'What is the weather in Oslo?',
      maxRetries: 0,
    })
    const names = steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))
    expect(names).toEqual([['weather'], ['answer']])
  })

  it('embeds many texts at once', async () => {
    await using transport = await open()
    const google = createGoogleGenerativeAI({
      baseURL: `${transport.url}/v1beta`,
      apiKey: 'sk-test',
      fetch: transport.fetch,
    })
    const { embeddings } = await embedMany({
      model: google.textEmbeddingModel('sim-embedding-1'),
      values: ['one', 'two'],
      maxRetries: 0,
    })
    expect(embeddings.map(({ length }) => length)).toEqual([768, 768])
  })
})
