import {
  FunctionCallingMode,
  GoogleGenerativeAI,
  GoogleGenerativeAIFetchError,
  SchemaType,
  type GenerativeModel,
} from '@google/generative-ai'
import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'

const modelOf = (transport: OpenTransport, model = 'sim-text-1', apiKey = 'sk-test'): GenerativeModel =>
  new GoogleGenerativeAI(apiKey).getGenerativeModel({ model }, { baseUrl: transport.url })

const declaration = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: SchemaType.OBJECT as const,
    properties: { city: { type: SchemaType.STRING as const } },
    required: ['city'],
  },
}

// This SDK takes no fetch of one's own. Its parser of streams is the strictest there is.
describeTransports((open, transport) => {
  if (transport === 'direct') {
    it('has no way in here', () => expect(transport).toBe('direct'))
    return
  }

  it('generates for the older SDK', async () => {
    await using gateway = await open()
    const { response } = await modelOf(gateway).generateContent('Why fly kites?')
    expect(response.text()).toMatch(/\w+ \w+/)
    expect(response.usageMetadata!.totalTokenCount).toBeGreaterThan(0)
  })

  it.each(['lf', 'crlf'] as const)(
    'streams with %s between events, as it puts together',
    async (sseNewline) => {
      await using gateway = await open({ quirks: { sseNewline } })
      const { stream, response } = await modelOf(gateway).generateContentStream('Why fly kites?')
      let pieces = ''
      for await (const chunk of stream) pieces += chunk.text()
      expect((await response).text()).toBe(pieces)
      expect((await response).candidates![0]!.finishReason).toBe('STOP')
    },
  )

  it('calls a function, and speaks of its result in the turn after', async () => {
    await using gateway = await open()
    const chat = modelOf(gateway).startChat({
      tools: [{ functionDeclarations: [declaration] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingMode.AUTO } },
    })
    const first = await chat.sendMessage('What is the weather in Oslo?')
    expect(first.response.functionCalls()).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }])
    const second = await chat.sendMessage([
      { functionResponse: { name: 'get_weather', response: { temperature: 17 } } },
    ])
    expect(second.response.text()).toContain('17')
  })

  it('counts and embeds', async () => {
    await using gateway = await open()
    expect((await modelOf(gateway).countTokens('Why fly kites?')).totalTokens).toBeGreaterThan(2)
    const embedder = modelOf(gateway, 'sim-embedding-1')
    const { embedding } = await embedder.embedContent('kites')
    expect(embedding.values).toHaveLength(768)
    const part = { content: { role: 'user', parts: [{ text: 'kites' }] } }
    expect((await embedder.batchEmbedContents({ requests: [part, part] })).embeddings).toHaveLength(2)
  })

  it('throws errors with status and words', async () => {
    await using gateway = await open()
    const error: unknown = await modelOf(gateway, 'sim-text-1', 'nonsense')
      .generateContent('hi')
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(GoogleGenerativeAIFetchError)
    expect(error).toMatchObject({ status: 401, message: expect.stringContaining('Invalid token') })
    const blocked = await modelOf(gateway).generateContent('x [[block]]')
    expect(() => blocked.response.text()).toThrow(/SAFETY/)
  })

  it('is left in the middle of a stream', async () => {
    await using gateway = await open({ text: { timing: { tokensPerSecond: 1 } }, clock: { mode: 'manual' } })
    const leaving = new AbortController()
    const { stream, response } = await modelOf(gateway).generateContentStream('tell a story', {
      signal: leaving.signal,
    })
    response.catch(() => {})
    const read = async (): Promise<void> => {
      for await (const _ of stream) leaving.abort()
    }
    await expect(read()).rejects.toThrow(/abort|reading from the stream/i)
    await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('aborted')
    expect(gateway.sim.clock.status().waiters).toBe(0)
  })
})
