import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeTransportsAnd, type OpenTransport } from '../../support/transports.ts'
import {
  postResponse,
  respond,
  responseEvents,
  outputText,
  weatherTool,
  type ResponseBody,
} from '../../support/responses.ts'
import { ask, postChat, textModel } from '../../support/text.ts'
import { authorization } from '../../support/video.ts'

const png = readFileSync(new URL('../../../fixtures/pictures/kite-64x48.png', import.meta.url))
const question = 'What is the weather in Oslo?'

const stored = (transport: OpenTransport, id: string, init: RequestInit = {}): Promise<Response> =>
  transport.call(`/v1/responses/${id}`, { headers: { authorization }, ...init })

const errorOf = async (response: Response): Promise<{ message: string; code: string }> =>
  ((await response.json()) as { error: { message: string; code: string } }).error

describeTransportsAnd('express')((open) => {
  it('answers with one message, and with what it cost', async () => {
    await using transport = await open({ text: { timing: 'instant', answers: [{ text: 'Paris.' }] } })
    const response = await postResponse(transport, { input: 'Capital of France?', instructions: 'Be brief.' })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{48}$/),
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      instructions: 'Be brief.',
      model: textModel,
      output: [
        {
          id: expect.stringMatching(/^msg_[0-9a-f]{48}o0$/),
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', annotations: [], text: 'Paris.' }],
        },
      ],
      store: true,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens: 2,
        total_tokens: 9,
      },
    })
  })

  it('says the same as a chat', async () => {
    await using transport = await open()
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'Why do kites fly?' },
    ]
    const { choices } = (await (await postChat(transport, { messages })).json()) as {
      choices: { message: { content: string } }[]
    }
    const [system, ...input] = messages
    expect(outputText(await respond(transport, { input: messages }))).toBe(choices[0]!.message.content)
    expect(outputText(await respond(transport, { input, instructions: system!.content }))).toBe(
      choices[0]!.message.content,
    )
  })

  it('streams its events in their order, numbered', async () => {
    await using transport = await open({ text: { timing: 'instant', answers: [{ text: 'Oh' }] } })
    const response = await postResponse(transport, { input: 'Hi', stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = responseEvents(await response.text())
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()])
    expect(events[0]!.response).toMatchObject({ status: 'in_progress', output: [], usage: null })
    expect(events.at(-1)!.response).toMatchObject({ status: 'completed' })
    expect(outputText(events.at(-1)!.response!)).toBe('Oh')
  })

  it('calls a function, and goes on after its result, by the id of the response before', async () => {
    await using transport = await open()
    const first = await respond(transport, { input: question, tools: [weatherTool] })
    const [call] = first.output
    expect(first.output).toMatchObject([
      { type: 'function_call', status: 'completed', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    ])
    const output = { type: 'function_call_output', call_id: call!.call_id, output: '{"degrees":21}' }
    const previous = { previous_response_id: first.id, input: [output], tools: [weatherTool] }
    const second = await respond(transport, previous)
    expect(second.previous_response_id).toBe(first.id)
    expect(outputText(second)).toContain('21')
    // The same conversation, sent whole and by references to stored items.
    const whole = [{ role: 'user', content: question }, ...first.output, output]
    expect(outputText(await respond(transport, { input: whole, tools: [weatherTool] }))).toBe(
      outputText(second),
    )
    const references = [whole[0], { type: 'item_reference', id: call!.id }, output]
    expect(outputText(await respond(transport, { input: references, tools: [weatherTool] }))).toBe(
      outputText(second),
    )
  })

  it('streams the arguments of a call in pieces', async () => {
    await using transport = await open()
    const events = responseEvents(
      await (await postResponse(transport, { input: question, tools: [weatherTool], stream: true })).text(),
    )
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta')
    expect(deltas.map(({ delta }) => delta).join('')).toBe('{"city":"Oslo"}')
    expect(events.find(({ type }) => type === 'response.function_call_arguments.done')).toMatchObject({
      name: 'get_weather',
      arguments: '{"city":"Oslo"}',
      output_index: 0,
    })
  })

  it('calls what tool_choice names, and no tool of the service itself', async () => {
    await using transport = await open()
    const tools = [weatherTool, { ...weatherTool, name: 'get_time' }, { type: 'web_search' }]
    const callsOf = async (fields: object): Promise<unknown[]> =>
      (await respond(transport, { input: question, tools, ...fields })).output.map(
        ({ type, name }) => name ?? type,
      )
    expect(await callsOf({ tool_choice: { type: 'function', name: 'get_time' } })).toEqual(['get_time'])
    expect(await callsOf({ tool_choice: 'none' })).toEqual(['message'])
    const allowed = {
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'function', name: 'get_time' }],
    }
    expect(await callsOf({ tool_choice: allowed })).toEqual(['get_time'])
    const response = await postResponse(transport, {
      input: 'Hi',
      tools,
      tool_choice: { type: 'web_search' },
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-greenroom-hint')).toBe(
      'Tools of type "web_search" are accepted and never called: only functions are.',
    )
  })

  it('answers in JSON, by a schema if there is one', async () => {
    await using transport = await open()
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', name: 'answer', schema, strict: true }
    const answer = outputText(await respond(transport, { input: 'A city', text: { format } }))
    expect(JSON.parse(answer)).toEqual({ city: expect.any(String) })
    const plain = outputText(
      await respond(transport, { input: 'A city', text: { format: { type: 'json_object' } } }),
    )
    expect(JSON.parse(plain)).toEqual(expect.any(Object))
  })

  it('counts its reasoning, and sends it only as a summary', async () => {
    await using transport = await open()
    const outputOf = async (fields: object): Promise<ResponseBody['output']> =>
      (await respond(transport, { input: 'Why do kites fly?', ...fields })).output
    expect((await outputOf({ reasoning: { effort: 'none' } })).map(({ type }) => type)).toEqual(['message'])
    const [hidden] = await outputOf({ reasoning: { effort: 'low' } })
    expect(hidden).toMatchObject({ type: 'reasoning', summary: [] })
    const [summarized] = await outputOf({ reasoning: { effort: 'low', summary: 'auto' } })
    expect(summarized!.summary![0]!.text).toMatch(/\w+ \w+/)
    const include = ['reasoning.encrypted_content']
    const [encrypted] = await outputOf({ reasoning: { effort: 'low' }, include, store: false })
    expect(encrypted).toHaveProperty('encrypted_content')
  })

  it('says why it is incomplete', async () => {
    await using transport = await open({
      text: { timing: 'instant', answers: [{ prompt: 'long', text: 'a '.repeat(99) }] },
    })
    expect(await respond(transport, { input: 'long', max_output_tokens: 16 })).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    })
    const events = responseEvents(
      await (await postResponse(transport, { input: 'x [[stop safety]]', stream: true })).text(),
    )
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'content_filter' } },
    })
  })

  it('returns what it has stored, the items of its input, and deletes it', async () => {
    await using transport = await open()
    const image = `data:image/png;base64,${png.toString('base64')}`
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: image },
    ]
    const input = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
      { role: 'user', content },
    ]
    const response = await respond(transport, { input })
    expect(await (await stored(transport, response.id)).json()).toEqual(response)
    const page = async (query: string): Promise<unknown> =>
      (await stored(transport, `${response.id}/input_items${query}`)).json()
    const idAt = (place: number): string => `${response.id.replace('resp_', 'msg_')}i${place}`
    expect(await page('')).toMatchObject({
      object: 'list',
      data: [{ id: idAt(2) }, { id: idAt(1) }, { id: idAt(0) }],
      has_more: false,
    })
    expect(await page(`?order=asc&limit=1&after=${idAt(1)}`)).toMatchObject({
      data: [{ id: idAt(2), type: 'message', content: [{ text: 'What is this?' }, { image_url: null }] }],
      first_id: idAt(2),
      last_id: idAt(2),
    })
    expect(await page('?limit=0')).toMatchObject({
      error: { message: 'limit must be a whole number from 1 to 100' },
    })
    const gone = await stored(transport, response.id, { method: 'DELETE' })
    expect(await gone.json()).toEqual({ id: response.id, object: 'response', deleted: true })
    const after = await stored(transport, response.id)
    expect([after.status, await errorOf(after)]).toMatchObject([
      404,
      { message: `Response with id '${response.id}' not found.` },
    ])
    const next = await postResponse(transport, { input: 'x', previous_response_id: response.id })
    expect([next.status, await errorOf(next)]).toMatchObject([400, { code: 'previous_response_not_found' }])
  })

  it('stores nothing if the request says so, or if the answer is to fail', async () => {
    await using transport = await open()
    const { id } = await respond(transport, { input: 'Hi', store: false })
    expect((await stored(transport, id)).status).toBe(404)
    const stream = await postResponse(transport, { input: 'Hi [[error 500 after 2]]', stream: true })
    const [begun] = responseEvents(await stream.text())
    expect((await stored(transport, begun!.response!.id)).status).toBe(404)
  })

  it('shows a response to its own account and namespace only', async () => {
    await using transport = await open()
    const { id } = await respond(transport, { input: 'Hi' })
    expect((await stored(transport, id)).status).toBe(200)
    expect((await stored(transport, id, { headers: { authorization: 'Bearer sk-other' } })).status).toBe(404)
    expect((await stored(transport, `../../ns/else/v1/responses/${id}`)).status).toBe(404)
    const item = { type: 'item_reference', id: `${id.replace('resp_', 'msg_')}o0` }
    const headers = { authorization: 'Bearer sk-other' }
    const refused = await postResponse(transport, { input: [item] }, { headers })
    expect([refused.status, (await errorOf(refused)).message]).toEqual([
      404,
      `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. ` +
        'Try again with `store` set to true, or remove this item from your input.',
    ])
  })

  it('is in progress until its last token is due', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
      text: { timing: { tokensPerSecond: 10 }, answers: [{ text: 'one two three four' }] },
    })
    const streamed = postResponse(transport, { input: 'Hi', stream: true })
    const reader = (await streamed).body!.getReader()
    const [, id] = /"id":"(resp_\w+)"/.exec(new TextDecoder().decode((await reader.read()).value)) ?? []
    const statusOf = async (): Promise<unknown> => {
      const { status, output, usage } = (await (await stored(transport, id!)).json()) as ResponseBody
      return [status, output.length, usage === null]
    }
    expect(await statusOf()).toEqual(['in_progress', 0, true])
    await transport.sim.clock.advance('10s')
    expect(await statusOf()).toEqual(['completed', 1, false])
    await reader.cancel()
  })

  it('forgets a response after 30 days, and all of them with the tasks of their namespace', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const { id } = await respond(transport, { input: 'Hi' })
    await transport.sim.clock.advance('29d')
    expect((await stored(transport, id)).status).toBe(200)
    await transport.sim.clock.advance('1d')
    expect((await stored(transport, id)).status).toBe(404)
    const again = await respond(transport, { input: 'Hello' })
    transport.sim.reset()
    expect((await stored(transport, again.id)).status).toBe(404)
  })

  it('ends a stream with response.failed where an error comes in its middle', async () => {
    await using transport = await open()
    const response = await postResponse(transport, {
      input: 'x [[error 429 after 2: slow down]]',
      stream: true,
    })
    const events = responseEvents(await response.text())
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
      sequence_number: events.length - 1,
    })
    expect(transport.sim.journal()).toMatchObject([
      { operation: 'responses.create', stream: { ended: 'error' } },
    ])
  })

  it('is billed, journaled, limited, and open to rules', async () => {
    await using transport = await open({
      throttles: [{ match: { op: 'responses.create' }, rate: { requests: 2, per: '1m' } }],
      clock: { mode: 'manual' },
    })
    transport.sim.addRule({ match: { op: 'responses.create', prompt: '*kite*' }, attempts: [503, 'ok'] })
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'a kite' }] }]
    expect((await postResponse(transport, { input })).status).toBe(503)
    const { usage } = await respond(transport, { input })
    expect((await postResponse(transport, { input })).status).toBe(429)
    expect(transport.sim.usage()).toMatchObject([
      { tokens: { input: usage!.input_tokens, output: usage!.output_tokens } },
    ])
    const operation = { operation: 'responses.create', model: textModel, prompt: 'a kite' }
    expect(transport.sim.journal()).toMatchObject([503, 200, 429].map((status) => ({ ...operation, status })))
  })

  it.each([
    ['no input', {}, 'input is required'],
    ['an input of another kind', { input: 5 }, 'input must be a string or an array of items, not 5'],
    ['an empty input', { input: [] }, 'input must not be empty'],
    ['an unknown role', { input: [{ role: 'robot', content: 'x' }] }, 'input[0].role must be one of user'],
    ['an unknown item', { input: [{ type: 'dream' }] }, 'input[0].type is "dream": use message'],
    [
      'an output without its call',
      { input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] },
      'No tool call found for function call output with call_id call_1.',
    ],
    [
      'a call without its output',
      { input: [{ type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }] },
      'No tool output found for function call call_1.',
    ],
    ['too few tokens', { input: 'x', max_output_tokens: 5 }, 'field max_output_tokens must be from 16 to'],
    ['large metadata', { input: 'x', metadata: { a: 'x'.repeat(1_000_000) } }, 'at most 1000000 are taken'],
    ['the background', { input: 'x', background: true }, 'background responses are not offered'],
    ['a conversation', { input: 'x', conversation: 'conv_1' }, 'conversations are not offered'],
    ['a stored prompt', { input: 'x', prompt: { id: 'pmpt_1' } }, 'stored prompts are not offered'],
    ['a function without a name', { input: 'x', tools: [{ type: 'function' }] }, 'tools[0].name is nothing'],
    [
      'a format without a schema',
      { input: 'x', text: { format: { type: 'json_schema', name: 'a' } } },
      'text.format must be {"type": "text"}',
    ],
    [
      'another effort',
      { input: 'x', reasoning: { effort: 'extreme' } },
      'field reasoning.effort must be one of',
    ],
    ['a chat', ask('hi'), 'input is required'],
    ['an item that is none', { input: [null] }, 'input[0] must be an object, not nothing'],
    ['an item of a wrong type', { input: [{ type: 7 }] }, 'field input[0].type must be a string, not 7'],
    [
      'a message without content',
      { input: [{ role: 'user' }] },
      'input[0].content must be a string or an array of parts, not nothing',
    ],
    [
      'a part without a type',
      { input: [{ role: 'user', content: [{ text: 'x' }] }] },
      'input[0].content[0].type is required',
    ],
    [
      'an unknown part',
      { input: [{ role: 'user', content: [{ type: 'smell' }] }] },
      'input[0].content[0].type is "smell": use input_text, output_text, input_image, input_file or input_audio',
    ],
    [
      'an image without a URL',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: {} }] }] },
      'input[0].content[0].image_url must be {"url": …}',
    ],
    [
      'a call without a name',
      { input: [{ type: 'function_call', call_id: 'call_1', name: '' }] },
      'input[0].name is required',
    ],
    [
      'arguments that are no JSON',
      { input: [{ type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{' }] },
      'input[0].arguments must be a JSON object, written as a string',
    ],
    [
      'too many alternatives',
      { input: 'x', top_logprobs: 21 },
      'field top_logprobs must be from 0 to 20, not 21',
    ],
    [
      'too many includes',
      { input: 'x', include: Array.from({ length: 51 }, () => 'x') },
      'include has 51 items, at most 50 are taken',
    ],
    [
      'a refusal without its text',
      { input: [{ role: 'assistant', content: [{ type: 'refusal' }] }] },
      'input[0].content[0].text is required',
    ],
    [
      'an output that is none',
      { input: [{ type: 'function_call_output', call_id: 'call_1', output: 5 }] },
      'input[0].output must be a string or an array of parts, not 5',
    ],
    [
      'a reference that is no text',
      { input: [{ type: 'item_reference', id: 7 }] },
      'field input[0].id must be a string, not 7',
    ],
    ['too many tokens', { input: 'x', max_output_tokens: 2 ** 31 }, 'max_tokens is invalid'],
    [
      'half a token',
      { input: 'x', max_output_tokens: 16.5 },
      'field max_output_tokens must be a whole number',
    ],
    [
      'an include that is none',
      { input: 'x', include: [''] },
      'field include[0] must be a string that is not empty',
    ],
    [
      'a tool without a type',
      { input: 'x', tools: [{}] },
      'tools[0] must be {"type": "function", "name": …}',
    ],
    [
      'a choice that is not known',
      { input: 'x', tool_choice: 'some' },
      'tool_choice must be "none", "auto", "required"',
    ],
    [
      'a choice without a name',
      { input: 'x', tools: [weatherTool], tool_choice: { type: 'function' } },
      'tool_choice names "", which tools don\'t declare',
    ],
  ])('refuses %s with 400 and the reason', async (_, fields, message) => {
    await using transport = await open()
    const response = await postResponse(transport, fields as Record<string, unknown>)
    expect([response.status, (await errorOf(response)).message]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  })
})
