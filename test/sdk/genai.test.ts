import { readFileSync } from 'node:fs'
import { ApiError, type Content, FunctionCallingConfigMode, GoogleGenAI, Type } from '@google/genai'
import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'

const png = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

const model = 'sim-text-1'

const clientOf = (transport: OpenTransport, apiKey = 'sk-test'): GoogleGenAI =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: transport.url } })

const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
}

// This SDK takes no fetch of one's own.
describeTransports((open, transport) => {
  if (transport === 'direct') {
    it('has no way in here', () => expect(transport).toBe('direct'))
    return
  }

  it('generates for the official SDK, with counts that add up', async () => {
    await using gateway = await open()
    const answer = await clientOf(gateway).models.generateContent({
      model,
      contents: 'Why fly kites?',
      config: { systemInstruction: 'Be brief.' },
    })
    expect(answer.text).toMatch(/\w+ \w+/)
    expect(answer.candidates![0]).toMatchObject({ finishReason: 'STOP', content: { role: 'model' } })
    expect(answer).toMatchObject({ modelVersion: model, responseId: expect.stringMatching(/^[\w-]{23}$/) })
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.usageMetadata!
    expect(promptTokenCount! + candidatesTokenCount!).toBe(totalTokenCount)
  })

  it.each(['lf', 'crlf'] as const)('streams with %s between events', async (sseNewline) => {
    await using gateway = await open({ quirks: { sseNewline } })
    const stream = await clientOf(gateway).models.generateContentStream({ model, contents: 'Why fly kites?' })
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.map(({ text }) => text).join('')).toMatch(/\w+ \w+/)
    expect(new Set(chunks.map(({ responseId }) => responseId)).size).toBe(1)
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { candidatesTokenCount: expect.any(Number) },
    })
    expect(chunks[0]!.candidates![0]!.finishReason).toBeUndefined()
  })

  it('holds a conversation', async () => {
    await using gateway = await open()
    const chat = clientOf(gateway).chats.create({ model })
    const first = await chat.sendMessage({ message: 'Tell me about kites' })
    const second = await chat.sendMessage({ message: 'And about balloons?' })
    expect(second.text).toMatch(/balloon/i)
    expect(second.usageMetadata!.promptTokenCount).toBeGreaterThan(first.usageMetadata!.promptTokenCount!)
  })

  it('calls a function, and speaks of its result in the turn after', async () => {
    await using gateway = await open()
    const client = clientOf(gateway)
    const question = { role: 'user', parts: [{ text: 'What is the weather in Oslo?' }] }
    const config = {
      tools: [{ functionDeclarations: [weather] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    }
    const first = await client.models.generateContent({ model, contents: [question], config })
    expect(first.functionCalls).toEqual([
      { name: 'get_weather', args: { city: 'Oslo' }, id: expect.any(String) },
    ])
    const response = { name: 'get_weather', response: { temperature: 17 } }
    const second = await client.models.generateContent({
      model,
      contents: [
        question,
        first.candidates![0]!.content!,
        { role: 'user', parts: [{ functionResponse: response }] },
      ],
      config: { tools: config.tools },
    })
    expect(second.text).toContain('17')
  })

  it('comes to the final function in mode ANY', async () => {
    await using gateway = await open()
    const final = { name: 'final_answer', parameters: { type: Type.OBJECT, properties: { text: { type: Type.STRING } }, required: ['text'] } } // prettier-ignore
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'What is the weather in Oslo?' }] }]
    const config = {
      tools: [{ functionDeclarations: [final, weather] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    }
    const names: (string | undefined)[] = []
    for (let turn = 0; turn < 2; turn++) {
      const { candidates } = await clientOf(gateway).models.generateContent({ model, contents, config })
      const { content } = candidates![0]!
      const { name, id } = content!.parts![0]!.functionCall!
      names.push(name)
      const functionResponse = { name: name!, ...(id !== undefined && { id }), response: { temperature: 4 } }
      contents.push(content!, { role: 'user', parts: [{ functionResponse }] })
    }
    expect(names).toEqual(['get_weather', 'final_answer'])
  })

  it('answers by a schema', async () => {
    await using gateway = await open()
    const answer = await clientOf(gateway).models.generateContent({
      model,
      contents: 'Three cities',
      config: {
        responseMimeType: 'application/json',
        responseSchema: {
          type: Type.ARRAY,
          minItems: '3',
          maxItems: '3',
          items: {
            type: Type.OBJECT,
            properties: {
              city: { type: Type.STRING },
              size: { type: Type.STRING, enum: ['small', 'large'] },
            },
            required: ['city', 'size'],
          },
        },
      },
    })
    const cities = JSON.parse(answer.text!) as { city: string; size: string }[]
    expect(cities).toHaveLength(3)
    for (const { size } of cities) expect(['small', 'large']).toContain(size)
  })

  it('sees pictures, thinks, and offers several candidates', async () => {
    await using gateway = await open()
    const answer = await clientOf(gateway).models.generateContent({
      model,
      contents: [
        { inlineData: { mimeType: 'image/png', data: png.toString('base64') } },
        { text: 'What is this?' },
      ],
      config: { candidateCount: 2, thinkingConfig: { includeThoughts: true, thinkingBudget: 128 } },
    })
    expect(answer.candidates).toHaveLength(2)
    expect(answer.candidates![0]!.content!.parts![0]).toMatchObject({ thought: true })
    const { promptTokensDetails, ...usage } = answer.usageMetadata!
    expect(promptTokensDetails!.map(({ modality }) => modality)).toEqual(['TEXT', 'IMAGE'])
    expect(usage.thoughtsTokenCount).toBeGreaterThan(0)
    expect(usage.promptTokenCount! + usage.candidatesTokenCount! + usage.thoughtsTokenCount!).toBe(
      usage.totalTokenCount,
    )
  })

  it('ends at its limits, and for safety', async () => {
    await using gateway = await open()
    const { models } = clientOf(gateway)
    const short = await models.generateContent({
      model,
      contents: 'Write a long story about kites',
      config: { maxOutputTokens: 5 },
    })
    expect(short.candidates![0]!.finishReason).toBe('MAX_TOKENS')
    expect(short.usageMetadata!.candidatesTokenCount).toBe(5)
    const blocked = await models.generateContent({ model, contents: 'x [[block]]' })
    expect(blocked).toMatchObject({ promptFeedback: { blockReason: 'SAFETY' } })
    expect(blocked.text).toBeUndefined()
    const stopped = await models.generateContent({ model, contents: 'x [[stop safety]]' })
    expect(stopped.candidates![0]).toMatchObject({ finishReason: 'SAFETY' })
  })

  it('counts, embeds and lists', async () => {
    await using gateway = await open()
    const { models } = clientOf(gateway)
    expect(await models.countTokens({ model, contents: 'Why fly kites?' })).toMatchObject({
      totalTokens: expect.any(Number),
    })
    const { embeddings } = await models.embedContent({
      model: 'sim-embedding-1',
      contents: ['one', 'two'],
      config: { outputDimensionality: 16 },
    })
    expect(embeddings!.map(({ values }) => values!.length)).toEqual([16, 16])
    const listed: string[] = []
    for await (const { name } of await models.list({ config: { pageSize: 1 } })) listed.push(name!)
    expect(listed).toContain('models/sim-text-1')
    expect(listed.length).toBeGreaterThan(1)
    expect(await models.get({ model })).toMatchObject({
      name: 'models/sim-text-1',
      inputTokenLimit: 1_048_576,
    })
  })

  it('throws errors with their status', async () => {
    await using gateway = await open()
    const call = (contents: string, key?: string): Promise<unknown> =>
      clientOf(gateway, key)
        .models.generateContent({ model, contents })
        .catch((error: unknown) => error)
    const badKey = await call('hi', 'nonsense')
    expect(badKey).toBeInstanceOf(ApiError)
    expect(badKey).toMatchObject({ status: 401 })
    const busy = await call('hi [[error 503: too busy]]')
    expect(busy).toMatchObject({ status: 503, message: expect.stringContaining('too busy') })
  })

  it('says what to do instead of what is not offered', async () => {
    await using gateway = await open()
    const client = clientOf(gateway)
    const upload = client.files.upload({ file: new Blob(['kite']), config: { mimeType: 'text/plain' } })
    await expect(upload).rejects.toThrow(/Files and caches are not offered\..*serve --handlers/)
    const video = client.models.generateVideos({ model: 'veo-3', prompt: 'a kite' })
    await expect(video).rejects.toThrow(/Videos are made by POST \/v1\/video\/generations/)
  })

  it('is left in the middle of a stream', async () => {
    await using gateway = await open({ text: { timing: { tokensPerSecond: 1 } }, clock: { mode: 'manual' } })
    const leaving = new AbortController()
    const stream = await clientOf(gateway).models.generateContentStream({
      model,
      contents: 'tell a story',
      config: { abortSignal: leaving.signal },
    })
    const read = async (): Promise<void> => {
      for await (const _ of stream) leaving.abort()
    }
    await expect(read()).rejects.toThrow(/abort/i)
    await expect.poll(() => gateway.sim.journal()[0]!.outcome).toBe('aborted')
    expect(gateway.sim.clock.status().waiters).toBe(0)
  })

  it('throws where a stream breaks off', async () => {
    await using gateway = await open()
    const stream = await clientOf(gateway).models.generateContentStream({
      model,
      contents: 'tell a story [[error 503 after 3]]',
    })
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    }
    await expect(read()).rejects.toThrow()
  })
})
