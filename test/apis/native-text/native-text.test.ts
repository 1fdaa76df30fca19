import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.ts'
import {
  eventsOf,
  postJson,
  postNative,
  say,
  textModel,
  textOf,
  type NativeAnswer,
} from '../../support/text.ts'

const png = readFileSync(new URL('../../../fixtures/pictures/kite-64x48.png', import.meta.url))

const path = `/v1beta/models/${textModel}`

const answerOf = async (response: Response): Promise<NativeAnswer> => (await response.json()) as NativeAnswer

const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
}

describeTransports((open) => {
  it('answers with candidates, reason and counts', async () => {
    await using transport = await open()
    const response = await postNative(transport, 'generateContent', {
      contents: [{ parts: [{ text: 'Why fly kites?' }] }],
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=UTF-8')
    const text = await response.text()
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    const answer = JSON.parse(text) as NativeAnswer
    expect(answer.candidates).toMatchObject([{ content: { role: 'model' }, finishReason: 'STOP', index: 0 }])
    expect(textOf(answer)).toMatch(/\w+ \w+/)
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.usageMetadata
    expect(promptTokenCount! + candidatesTokenCount!).toBe(totalTokenCount)
  })

  it('answers the same request the same on the same seed', async () => {
    const once = async (seed: number): Promise<string> => {
      await using transport = await open({ seed })
      return (await postNative(transport, 'generateContent', say('Why fly kites?'))).text()
    }
    const [one, again, other] = [await once(1), await once(1), await once(2)]
    expect(again).toBe(one)
    expect(other).not.toBe(one)
  })

  it.each([
    ['a header of its own', {}, { 'x-native-api-key': 'sk-sim-alice' }, ''],
    ["the vendor's header", {}, { 'x-goog-api-key': 'sk-sim-alice' }, ''],
    ['the query', {}, {}, '?key=sk-sim-alice'],
    ['a bearer', { authorization: 'Bearer sk-sim-alice' }, {}, ''],
    ['a header before the query', {}, { 'x-goog-api-key': 'sk-sim-alice' }, '?key=sk-sim-bob'],
    ['the query before a bearer', { authorization: 'Bearer sk-sim-bob' }, {}, '?key=sk-sim-alice'],
  ])('takes its key from %s', async (_name, bearer, headers, query) => {
    await using transport = await open()
    const response = await transport.call(`${path}:generateContent${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer, ...headers } as Record<string, string>,
      body: JSON.stringify(say('hi')),
    })
    expect(response.status).toBe(200)
    expect(transport.sim.namespace('alice').journal()).toMatchObject([
      { operation: 'text.generate', model: textModel, prompt: 'hi', path: `${path}:generateContent` },
    ])
  })

  it('takes native keys on native routes only', async () => {
    await using transport = await open()
    const call = async (target: string, headers: Record<string, string>): Promise<number> =>
      (
        await transport.call(target, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({
            ...say('hi'),
            model: textModel,
            messages: [{ role: 'user', content: 'hi' }],
          }),
        })
      ).status
    expect(await call(`${path}:generateContent`, { 'x-goog-api-key': 'sk-test' })).toBe(200)
    expect(await call(`${path}:generateContent`, { 'x-vendor-key': 'sk-test' })).toBe(401)
    expect(await call('/v1/chat/completions', { 'x-goog-api-key': 'sk-test' })).toBe(401)
    expect(await call('/v1/chat/completions?key=sk-test', {})).toBe(401)
  })

  it.each([
    `/v1beta/models/${textModel}%3AgenerateContent`,
    `/v1/models/${textModel}:generateContent`,
    `/v1beta/models/models%2F${textModel}:generateContent`,
    `/v1beta/models/models/${textModel}:generateContent`,
  ])('answers at %s, too', async (target) => {
    await using transport = await open()
    const answer = await answerOf(await postJson(transport, target, say('hi')))
    expect(answer.modelVersion).toBe(textModel)
  })

  it('knows models with dots and dashes in their names', async () => {
    await using transport = await open()
    const answer = await answerOf(
      await postJson(transport, '/v1beta/models/x-2.5-pro_002:generateContent', say('hi')),
    )
    expect(answer.modelVersion).toBe('x-2.5-pro_002')
  })

  it('reads fields in camel case and in snake case', async () => {
    await using transport = await open()
    const camel = { generationConfig: { maxOutputTokens: 3, candidateCount: 2 } }
    const snake = { generation_config: { max_output_tokens: 3, candidate_count: 2 } }
    for (const config of [camel, snake]) {
      const answer = await answerOf(
        await postNative(transport, 'generateContent', { ...say('Write a story'), ...config }),
      )
      expect(answer.candidates).toMatchObject([
        { finishReason: 'MAX_TOKENS' },
        { finishReason: 'MAX_TOKENS' },
      ])
      expect(answer.usageMetadata['candidatesTokenCount']).toBe(6)
    }
  })

  it('streams events that join to the answer, each on one line', async () => {
    await using transport = await open()
    const response = await postNative(transport, 'streamGenerateContent?alt=sse', say('Why fly kites?'))
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    })
    const text = await response.text()
    expect(text).toMatch(/^(data: \{"candidates": \[\{"content": .*\}\n\n)+$/)
    const events = eventsOf(text) as NativeAnswer[]
    expect(new Set(events.map(({ responseId }) => responseId)).size).toBe(1)
    expect(events.at(0)!.usageMetadata).not.toHaveProperty('candidatesTokenCount')
    const { promptTokenCount, candidatesTokenCount, totalTokenCount } = events.at(-1)!.usageMetadata
    expect(promptTokenCount! + candidatesTokenCount!).toBe(totalTokenCount)
    expect(events.filter(({ candidates }) => candidates![0]!.finishReason)).toHaveLength(1)
  })

  it('streams from generateContent if alt=sse says so', async () => {
    await using transport = await open()
    const response = await postNative(transport, 'generateContent?alt=sse', say('hi'))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(transport.sim.journal()[0]!.operation).toBe('text.generate')
  })

  it('frames a stream as the vendor does, by quirks', async () => {
    await using transport = await open({
      quirks: { nativeStreamWithoutAlt: 'json-array', sseNewline: 'crlf' },
    })
    const array = await postNative(transport, 'streamGenerateContent', say('Why fly kites?'))
    expect(array.headers.get('content-type')).toBe('application/json; charset=UTF-8')
    const text = await array.text()
    expect(text).toMatch(/^\[\{\n {2}"candidates": \[/)
    expect(text).toMatch(/\}\n,\r\n\{\n/)
    expect(text).toMatch(/\}\n\]$/)
    expect((JSON.parse(text) as NativeAnswer[]).length).toBeGreaterThan(2)

    const events = await postNative(transport, 'streamGenerateContent?alt=sse', say('Why fly kites?'))
    expect(await events.text()).toMatch(/^(data: .*\r\n\r\n)+$/)
  })

  it('streams several candidates, each with its own end', async () => {
    await using transport = await open()
    const config = { generationConfig: { candidateCount: 2 } }
    const response = await postNative(transport, 'streamGenerateContent', {
      ...say('Why fly kites?'),
      ...config,
    })
    const events = eventsOf(await response.text()) as NativeAnswer[]
    const ended = events.flatMap(({ candidates }) => candidates!.filter(({ finishReason }) => finishReason))
    expect(ended.map(({ index }) => index).toSorted()).toEqual([0, 1])
  })

  it('ends before a stop sequence', async () => {
    await using transport = await open({
      text: { timing: 'instant', answers: [{ text: 'one two three four' }] },
    })
    const config = { generationConfig: { stopSequences: ['three'] } }
    const answer = await answerOf(
      await postNative(transport, 'generateContent', { ...say('count'), ...config }),
    )
    expect(textOf(answer).trimEnd()).toBe('one two')
    expect(answer.candidates![0]!.finishReason).toBe('STOP')
  })

  it('thinks before it speaks, and counts thoughts separately', async () => {
    await using transport = await open()
    const config = { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } } }
    const answer = await answerOf(
      await postNative(transport, 'generateContent', { ...say('Why fly kites?'), ...config }),
    )
    const [thought, text] = answer.candidates![0]!.content.parts!
    expect(thought).toMatchObject({ thought: true, text: expect.any(String) })
    expect(text).not.toHaveProperty('thought')
    const usage = answer.usageMetadata
    expect(usage['thoughtsTokenCount']).toBeGreaterThan(0)
    expect(usage['totalTokenCount']).toBe(
      usage['promptTokenCount']! + usage['candidatesTokenCount']! + usage['thoughtsTokenCount']!,
    )
    const off = { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 0 } } }
    const quiet = await answerOf(
      await postNative(transport, 'generateContent', { ...say('Why fly kites?'), ...off }),
    )
    expect(quiet.usageMetadata).not.toHaveProperty('thoughtsTokenCount')
  })

  it('calls functions by mode, and takes their answers', async () => {
    await using transport = await open()
    const tools = [{ functionDeclarations: [weather, { name: 'send_mail' }] }]
    const question = say('What is the weather in Oslo?')
    const config = (functionCallingConfig: object): object => ({
      tools,
      toolConfig: { functionCallingConfig },
    })
    const callsOf = async (fields: object): Promise<unknown[]> => {
      const answer = await answerOf(
        await postNative(transport, 'generateContent', { ...question, ...fields }),
      )
      return answer.candidates![0]!.content.parts!.flatMap(({ functionCall }) => functionCall ?? [])
    }
    const oslo = { name: 'get_weather', args: { city: 'Oslo' } }
    expect(await callsOf(config({ mode: 'AUTO' }))).toMatchObject([oslo])
    expect(await callsOf(config({ mode: 'VALIDATED' }))).toMatchObject([oslo])
    expect(await callsOf(config({ mode: 'ANY', allowedFunctionNames: ['send_mail'] }))).toMatchObject([
      { name: 'send_mail', args: {} },
    ])
    expect(await callsOf(config({ mode: 'NONE' }))).toEqual([])

    const turns = [
      ...question.contents,
      { role: 'model', parts: [{ functionCall: oslo }] },
      { role: 'function', parts: [{ functionResponse: { name: 'get_weather', response: { celsius: 17 } } }] },
    ]
    const answer = await answerOf(await postNative(transport, 'generateContent', { contents: turns, tools }))
    expect(textOf(answer)).toContain('17')
  })

  it('writes a function call of a stream in one piece', async () => {
    await using transport = await open()
    const body = { ...say('What is the weather in Oslo?'), tools: [{ functionDeclarations: [weather] }] }
    const events = eventsOf(
      await (await postNative(transport, 'streamGenerateContent', body)).text(),
    ) as NativeAnswer[]
    expect(events).toMatchObject([
      {
        candidates: [
          {
            content: { parts: [{ functionCall: { name: 'get_weather', args: { city: 'Oslo' } } }] },
            finishReason: 'STOP',
            finishMessage: 'Model generated function call(s).',
          },
        ],
      },
    ])
  })

  it('answers in JSON, by either kind of schema', async () => {
    await using transport = await open()
    const jsonOf = async (generationConfig: object): Promise<unknown> => {
      const answer = await answerOf(
        await postNative(transport, 'generateContent', { ...say('A city'), generationConfig }),
      )
      return JSON.parse(textOf(answer))
    }
    const responseMimeType = 'application/json'
    expect(await jsonOf({ responseMimeType })).toEqual(expect.any(Object))
    const responseSchema = { type: 'OBJECT', properties: { size: { type: 'INTEGER' } }, required: ['size'] }
    expect(await jsonOf({ responseMimeType, responseSchema })).toEqual({ size: expect.any(Number) })
    const responseJsonSchema = { type: 'object', properties: { name: { const: 'Oslo' } }, required: ['name'] }
    expect(await jsonOf({ responseMimeType, responseJsonSchema })).toEqual({ name: 'Oslo' })
  })

  it('has log probabilities if the request wants them', async () => {
    await using transport = await open()
    const generationConfig = { responseLogprobs: true, logprobs: 2, maxOutputTokens: 4 }
    const response = await postNative(transport, 'generateContent', {
      ...say('Why fly kites?'),
      generationConfig,
    })
    const { candidates } = (await response.json()) as {
      candidates: { avgLogprobs: number; logprobsResult: Record<string, { token?: string }[]> }[]
    }
    const { avgLogprobs, logprobsResult } = candidates[0]!
    expect(avgLogprobs).toBeLessThanOrEqual(0)
    expect(logprobsResult['chosenCandidates']).toHaveLength(4)
    expect(logprobsResult['topCandidates']).toMatchObject(Array(4).fill({ candidates: [{}, {}] }))
  })

  it('blocks a prompt with a 200 and no candidates', async () => {
    await using transport = await open()
    const answer = await answerOf(
      await postNative(transport, 'generateContent', say('x [[block prohibited_content]]')),
    )
    expect(answer).toMatchObject({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } })
    expect(answer).not.toHaveProperty('candidates')
    const events = eventsOf(
      await (await postNative(transport, 'streamGenerateContent', say('x [[block]]'))).text(),
    )
    expect(events).toMatchObject([{ promptFeedback: { blockReason: 'SAFETY' } }])
  })

  it('counts the same tokens that an answer is charged for, images too', async () => {
    await using transport = await open()
    const inlineData = { mimeType: 'image/png', data: png.toString('base64') }
    const body = { contents: [{ parts: [{ text: 'What is this?' }, { inlineData }] }] }
    const counted = (await (await postNative(transport, 'countTokens', body)).json()) as {
      totalTokens: number
    }
    const answer = await answerOf(await postNative(transport, 'generateContent', body))
    expect(answer.usageMetadata['promptTokenCount']).toBe(counted.totalTokens)
    const whole = { generateContentRequest: { model: `models/${textModel}`, ...body } }
    expect(await (await postNative(transport, 'countTokens', whole)).json()).toEqual(counted)
  })

  it('embeds similar texts similarly', async () => {
    await using transport = await open()
    const requests = ['a red kite', 'a red kite flies', 'quarterly tax report'].map((text) => ({
      model: 'models/sim-embedding-1',
      content: { parts: [{ text }] },
    }))
    const response = await postJson(transport, '/v1beta/models/sim-embedding-1:batchEmbedContents', {
      requests,
    })
    const { embeddings } = (await response.json()) as { embeddings: { values: number[] }[] }
    const near = (one: number, other: number): number =>
      embeddings[one]!.values.reduce(
        (sum, value, index) => sum + value * embeddings[other]!.values[index]!,
        0,
      )
    expect(near(0, 1)).toBeGreaterThan(near(0, 2))
    expect(near(0, 0)).toBeCloseTo(1, 3)
  })

  it('delays by rules, and writes the prompt into the journal', async () => {
    const rules = [{ id: 'slow', match: { op: 'text.*', model: 'sim-*', prompt: '*kites*' }, delay: '3s' }]
    await using transport = await open({ rules })
    const before = transport.sim.clock.now()
    await postNative(transport, 'generateContent', say('Why fly kites?'))
    expect(transport.sim.clock.now() - before).toBe(3_000)
    expect(transport.sim.journal()).toMatchObject([
      { rules: ['slow'], prompt: 'Why fly kites?', model: textModel },
    ])
  })

  it('takes as long for a whole answer as its tokens do', async () => {
    await using transport = await open({
      text: { timing: { firstToken: '1s', tokensPerSecond: 2 }, answers: [{ text: 'a b c' }] },
    })
    const before = transport.sim.clock.now()
    const answer = await answerOf(await postNative(transport, 'generateContent', say('hi')))
    const tokens = answer.usageMetadata['candidatesTokenCount']!
    expect(transport.sim.clock.now() - before).toBe(1_000 + (tokens - 1) * 500)
  })

  it('lists and gets its models, page by page', async () => {
    await using transport = await open()
    const get = async (target: string): Promise<Record<string, unknown>> =>
      (await (await transport.call(target, { headers: { 'x-goog-api-key': 'sk-test' } })).json()) as Record<
        string,
        unknown
      >
    const first = await get('/v1beta/models?pageSize=2')
    expect(first).toMatchObject({ models: [{ name: 'models/sim-text-1' }, {}], nextPageToken: '2' })
    expect(await get('/v1beta/models?pageSize=2&pageToken=2')).not.toHaveProperty('nextPageToken')
    expect(await get('/v1beta/models/sim-text-1')).toEqual((first['models'] as unknown[])[0])
    expect(await get('/v1/models/sim-text-1')).toEqual((first['models'] as unknown[])[0])
    expect(await get('/v1beta/models/unknown')).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
  })
})
