import { expect, it } from 'vitest'
import { describeTransportsAnd } from '../../support/transports.ts'
import { ask, eventsOf, postChat, textModel } from '../../support/text.ts'

interface Chunk {
  id: string
  choices: {
    index: number
    delta: { role?: string; content?: string; reasoning_content?: string; tool_calls?: unknown[] }
    finish_reason: string | null
    logprobs: { content: { token: string }[] } | null
  }[]
  usage: { total_tokens: number } | null
}

const chunksOf = async (response: Response): Promise<Chunk[]> => {
  const events = eventsOf(await response.text())
  expect(events.pop()).toBe('[DONE]')
  return events as Chunk[]
}

describeTransportsAnd(
  'express',
  'http-middleware',
)((open) => {
  it('answers in the form of the protocol', async () => {
    await using transport = await open({ text: { timing: 'instant', answers: [{ text: 'Paris.' }] } })
    const response = await postChat(transport, ask('Capital of France?'))
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.text()).toMatch(
      /^\{"id":"chatcmpl-\w{39}","object":"chat.completion","created":\d+,"model":"sim-text-1","choices":\[\{"index":0,"message":\{"role":"assistant","content":"Paris\.","refusal":null,"annotations":\[\]\},"logprobs":null,"finish_reason":"stop"\}\],"usage":\{/,
    )
  })

  it('notes the last text of the user, also if a message with only an image follows it', async () => {
    await using transport = await open()
    const image = [{ type: 'image_url', image_url: 'https://example.com/kite.png' }]
    const messages = [
      { role: 'user', content: 'a kite' },
      { role: 'user', content: image },
    ]
    await postChat(transport, { ...ask(''), messages })
    expect(transport.sim.journal().map(({ prompt }) => prompt)).toEqual(['a kite'])
  })

  it('streams role, text, reason and usage, in this order', async () => {
    await using transport = await open()
    const response = await postChat(transport, { ...ask('Why fly kites?'), stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const chunks = await chunksOf(response)
    expect(chunks.at(0)!.choices[0]!.delta).toEqual({ content: '', role: 'assistant' })
    expect(chunks.at(-2)!.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } })
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    for (const { usage } of chunks.slice(0, -1)) expect(usage).toBeNull()
  })

  it('streams each of several choices to its own end', async () => {
    await using transport = await open()
    const chunks = await chunksOf(await postChat(transport, { ...ask('Why fly kites?'), n: 3, stream: true }))
    const ended = chunks.flatMap(({ choices }) =>
      choices.filter(({ finish_reason }) => finish_reason !== null),
    )
    expect(ended.map(({ index }) => index).toSorted()).toEqual([0, 1, 2])
  })

  it('cuts at max_completion_tokens, and before stop', async () => {
    await using transport = await open({
      text: { timing: 'instant', answers: [{ text: 'one two three four five six' }] },
    })
    const choiceOf = async (
      fields: object,
    ): Promise<{ finish_reason: string; message: { content: string } }> => {
      const { choices } = (await (await postChat(transport, { ...ask('count'), ...fields })).json()) as {
        choices: { finish_reason: string; message: { content: string } }[]
      }
      return choices[0]!
    }
    expect(await choiceOf({ max_tokens: 2 })).toMatchObject({ finish_reason: 'length' })
    expect(await choiceOf({ max_completion_tokens: 2 })).toMatchObject({ finish_reason: 'length' })
    const stopped = await choiceOf({ stop: 'three' })
    expect([stopped.finish_reason, stopped.message.content.trimEnd()]).toEqual(['stop', 'one two'])
    expect((await choiceOf({ stop: ['nine', 'four'] })).message.content.trimEnd()).toBe('one two three')
  })

  it('answers in JSON', async () => {
    await using transport = await open()
    const response = await postChat(transport, { ...ask('A city'), response_format: { type: 'json_object' } })
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    expect(JSON.parse(choices[0]!.message.content)).toEqual(expect.any(Object))
  })

  it('answers by the schema that comes with json_object', async () => {
    await using transport = await open()
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const format = { response_format: { type: 'json_object', schema } }
    const response = await postChat(transport, { ...ask('A city'), ...format })
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] }
    expect(JSON.parse(choices[0]!.message.content)).toEqual({ city: expect.any(String) })
  })

  it('answers an empty text', async () => {
    await using transport = await open()
    const { choices } = (await (await postChat(transport, ask(''))).json()) as {
      choices: { message: { content: string } }[]
    }
    expect(choices[0]!.message.content).not.toBe('')
  })

  it.each(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])(
    'thinks at effort %s',
    async (effort) => {
      await using transport = await open()
      const response = await postChat(transport, { ...ask('Why fly kites?'), reasoning_effort: effort })
      const { usage } = (await response.json()) as {
        usage: { completion_tokens_details: { reasoning_tokens: number } }
      }
      expect(usage.completion_tokens_details.reasoning_tokens > 0).toBe(effort !== 'none')
    },
  )

  it('calls a legacy function, and goes on after its result', async () => {
    await using transport = await open()
    const functions = [
      {
        name: 'get_weather',
        description: 'The weather of a city',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ]
    const question = { role: 'user', content: 'What is the weather in Oslo?' }
    type Answer = { choices: { message: { content: string | null }; finish_reason: string }[] }
    const answer = (await (await postChat(transport, { messages: [question], functions })).json()) as Answer
    const called = { name: 'get_weather', arguments: '{"city":"Oslo"}' }
    expect(answer.choices[0]).toMatchObject({
      message: { content: null, function_call: called },
      finish_reason: 'function_call',
    })
    expect(answer.choices[0]!.message).not.toHaveProperty('tool_calls')
    const result = { role: 'function', name: 'get_weather', content: '{"degrees":21}' }
    const messages = [question, answer.choices[0]!.message, result]
    const after = (await (await postChat(transport, { messages, functions })).json()) as Answer
    expect(after.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect(after.choices[0]!.message.content).toContain('21')
  })

  it('streams a legacy function call in pieces', async () => {
    await using transport = await open()
    const functions = [
      { name: 'get_time', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    ]
    const fields = { functions, function_call: { name: 'get_time' }, stream: true }
    const chunks = await chunksOf(await postChat(transport, { ...ask('The time in Oslo?'), ...fields }))
    const calls = chunks.flatMap(({ choices }) =>
      choices.flatMap(
        ({ delta }) =>
          (delta as { function_call?: { name?: string; arguments: string } }).function_call ?? [],
      ),
    )
    expect(calls[0]).toEqual({ name: 'get_time', arguments: '' })
    expect(JSON.parse(calls.map((call) => call.arguments).join(''))).toEqual({ city: expect.any(String) })
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('function_call')
  })

  it('has thoughts and log probabilities in a stream, each with its text', async () => {
    await using transport = await open()
    const fields = { reasoning_effort: 'low', logprobs: true, top_logprobs: 1, stream: true }
    const chunks = await chunksOf(await postChat(transport, { ...ask('Why fly kites?'), ...fields }))
    const choices = chunks.flatMap((chunk) => chunk.choices)
    const thought = choices.findLastIndex(({ delta }) => delta.reasoning_content !== undefined)
    const spoken = choices.findIndex(({ delta }) => delta.content !== undefined && delta.content !== '')
    expect(thought).toBeGreaterThan(0)
    expect(spoken).toBeGreaterThan(thought)
    for (const { delta, logprobs } of choices.slice(spoken, -1)) {
      expect(logprobs!.content.map(({ token }) => token).join('')).toBe(delta.content)
    }
  })

  it('calls several tools at once, unless the request forbids it', async () => {
    await using transport = await open()
    const tool = (name: string, description: string): object => ({
      type: 'function',
      function: {
        name,
        description,
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    })
    const tools = [tool('get_weather', 'The weather of a city'), tool('get_time', 'The local time of a city')]
    const callsOf = async (fields: object): Promise<number> => {
      const question = ask('What are the weather and the time in Oslo?')
      const response = await postChat(transport, { ...question, tools, ...fields })
      const { choices } = (await response.json()) as { choices: { message: { tool_calls?: unknown[] } }[] }
      return choices[0]!.message.tool_calls?.length ?? 0
    }
    expect(await callsOf({})).toBe(2)
    expect(await callsOf({ parallel_tool_calls: false })).toBe(1)
    expect(await callsOf({ tool_choice: 'none' })).toBe(0)
    expect(await callsOf({ tool_choice: { type: 'function', function: { name: 'get_time' } } })).toBe(1)
  })

  it('reports an error in the middle of a stream', async () => {
    await using transport = await open()
    const response = await postChat(transport, {
      ...ask('tell a story [[error 429 after 2: slow down]]'),
      stream: true,
    })
    const events = eventsOf(await response.text())
    expect(events.at(-1)).toEqual({
      error: { message: 'slow down', type: 'requests', param: '', code: 'rate_limit_exceeded' },
    })
  })

  it('lists the configured models to the keys that may use them', async () => {
    const models = [
      { name: 'good-1', kind: 'text' as const },
      { name: 'video-9', kind: 'video' as const },
    ]
    await using transport = await open({ models, keys: ['sk-all', { key: 'sk-some', models: ['good-*'] }] })
    const get = async (target: string, key: string): Promise<[number, unknown]> => {
      const response = await transport.call(target, { headers: { authorization: `Bearer ${key}` } })
      return [response.status, await response.json()]
    }
    expect(await get('/v1/models', 'sk-all')).toMatchObject([
      200,
      { object: 'list', success: true, data: [{ id: 'good-1', object: 'model' }, { id: 'video-9' }] },
    ])
    expect(await get('/v1beta/openai/models', 'sk-some')).toMatchObject([200, { data: [{ id: 'good-1' }] }])
    expect(await get('/v1/models/video-9', 'sk-some')).toMatchObject([403, {}])
    expect(await get('/v1/models/unknown', 'sk-all')).toMatchObject([
      404,
      { error: { code: 'model_not_found' } },
    ])
    const refused = await postChat(
      transport,
      { ...ask('hi'), model: 'video-9' },
      { headers: { authorization: 'Bearer sk-all' } },
    )
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { error: { code: 'model_not_found' } },
    ])
  })

  it('echoes, and answers word for word', async () => {
    await using transport = await open({
      text: { timing: 'instant', mode: 'echo', answers: [{ prompt: '*capital of France*', text: 'Paris.' }] },
    })
    const answerTo = async (text: string): Promise<string> => {
      const { choices } = (await (await postChat(transport, ask(text))).json()) as {
        choices: { message: { content: string } }[]
      }
      return choices[0]!.message.content
    }
    expect(await answerTo('Good morning')).toBe('Good morning')
    expect(await answerTo('The capital of France?')).toBe('Paris.')
  })

  it('writes model and prompt into the journal', async () => {
    await using transport = await open()
    await postChat(transport, {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Why fly kites?' }] },
      ],
    })
    expect(transport.sim.journal()).toMatchObject([
      { operation: 'chat.complete', model: textModel, prompt: 'Why fly kites?', outcome: 'completed' },
    ])
  })
})
