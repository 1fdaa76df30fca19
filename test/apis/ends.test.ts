import { describe, expect, it } from 'vitest'
import { createSimulator, type ScriptedAnswer } from '../../src/index.ts'
import { needs } from '../support/needs.ts'

type Json = Record<string, any>

const prompt = 'What is the weather in Oslo?'
const messages = [{ role: 'user', content: prompt }]
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = { name: 'weather', description: 'The weather of a city' }

const apis = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages, tools: [{ type: 'function', function: { ...weather, parameters } }] },
  },
  native: {
    path: '/v1beta/models/sim-text-1:generateContent',
    body: {
      contents: [{ role: 'user', parts: [{ text: prompt }] }],
      tools: [{ functionDeclarations: [{ ...weather, parameters }] }],
    },
  },
  messages: {
    path: '/v1/messages',
    body: { max_tokens: 500, messages, tools: [{ ...weather, input_schema: parameters }] },
  },
  responses: {
    path: '/v1/responses',
    body: { input: prompt, tools: [{ type: 'function', ...weather, parameters, strict: false }] },
  },
}
type Api = keyof typeof apis

async function send(api: Api, answer: ScriptedAnswer | undefined, more: object = {}): Promise<string> {
  await using sim = createSimulator({ seed: 1, text: { timing: 'instant' } })
  if (answer) sim.addRule({ id: 'end', match: { role: ['text', 'stream'] }, answer })
  const { path, body } = apis[api]
  const isStream = 'stream' in more
  const streamed =
    isStream && api === 'native' ? path.replace('generate', 'streamGenerate') + '?alt=sse' : path
  const response = await sim.fetch(`https://gateway.example${streamed}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...(api !== 'native' && { model: 'sim-text-1', ...more }), ...body }),
  })
  expect(response.status).toBe(200)
  return response.text()
}

const ask = async (api: Api, answer: ScriptedAnswer, more?: object): Promise<Json> =>
  JSON.parse(await send(api, answer, more)) as Json

const stream = async (api: Api, answer: ScriptedAnswer): Promise<Json[]> =>
  Array.from((await send(api, answer, { stream: true })).matchAll(/^data: (\{.*\})$/gm), ([, json]) =>
    JSON.parse(json!),
  )

const safety: ScriptedAnswer = { finish: 'safety' }
const part: ScriptedAnswer = { text: 'The first', finish: 'safety' }
const empty: ScriptedAnswer = { empty: true }
const refusal: ScriptedAnswer = { refusal: 'I cannot.' }
const cut: ScriptedAnswer = { calls: 'always', finish: 'length' }

describe('a chat', () => {
  needs('chat.complete')
  it.each<[string, ScriptedAnswer, object]>([
    ['is filtered', safety, { message: { content: '' }, finish_reason: 'content_filter' }],
    [
      'is filtered in the middle',
      part,
      { message: { content: 'The first' }, finish_reason: 'content_filter' },
    ],
    ['is empty', { text: '' }, { message: { content: '' }, finish_reason: 'stop' }],
    ['is refused', refusal, { message: { content: null, refusal: 'I cannot.' }, finish_reason: 'stop' }],
    ['has a cut call', cut, { message: { content: null }, finish_reason: 'length' }],
  ])('%s', async (_name, answer, choice) => {
    expect((await ask('chat', answer))['choices']).toMatchObject([choice])
  })

  it('has no choice', async () => {
    expect((await ask('chat', empty))['choices']).toEqual([])
    expect((await stream('chat', empty)).flatMap(({ choices }) => choices as unknown[])).toEqual([])
  })

  it('streams a refusal and a cut call', async () => {
    const refused = await stream('chat', refusal)
    expect(refused.map(({ choices }) => choices[0]?.delta.refusal ?? '').join('')).toBe('I cannot.')
    const chunks = await stream('chat', cut)
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(() => JSON.parse(pieces.map((each: Json) => each['function'].arguments).join(''))).toThrow(
      SyntaxError,
    )
    expect(chunks.some(({ choices }) => choices[0]?.finish_reason === 'length')).toBe(true)
  })

  it('has a cut call if max_tokens ends it', async () => {
    const { choices } = JSON.parse(await send('chat', undefined, { max_tokens: 4 })) as Json
    expect(choices[0].finish_reason).toBe('length')
    expect(() => JSON.parse(choices[0].message.tool_calls[0].function.arguments)).toThrow(SyntaxError)
  })
})

describe('a native text', () => {
  needs('text.generate')
  it.each<[string, ScriptedAnswer, object]>([
    ['is blocked', { block: 'safety' }, { promptFeedback: { blockReason: 'SAFETY' } }],
    ['is filtered', safety, { candidates: [{ finishReason: 'SAFETY' }] }],
    ['is empty', { text: '' }, { candidates: [{ finishReason: 'STOP', content: { role: 'model' } }] }],
    ['has a cut call', cut, { candidates: [{ finishReason: 'MAX_TOKENS', content: { role: 'model' } }] }],
  ])('%s', async (_name, answer, body) => {
    expect(await ask('native', answer)).toMatchObject(body)
    expect((await stream('native', answer)).at(-1)).toMatchObject(body)
  })

  it('has no candidate', async () => {
    expect(await ask('native', empty)).not.toHaveProperty('candidates')
    expect((await stream('native', empty)).at(-1)).not.toHaveProperty('candidates')
  })
})

describe('a message', () => {
  needs('messages.create')
  it.each<[string, ScriptedAnswer, object]>([
    ['is blocked', { block: 'safety' }, { content: [], stop_reason: 'refusal' }],
    ['is filtered', safety, { content: [], stop_reason: 'refusal' }],
    ['is empty', empty, { content: [], stop_reason: 'end_turn' }],
    ['is refused', refusal, { content: [{ text: 'I cannot.' }], stop_reason: 'refusal' }],
    ['has a cut call', cut, { content: [{ type: 'tool_use', input: {} }], stop_reason: 'max_tokens' }],
  ])('%s', async (_name, answer, body) => {
    expect(await ask('messages', answer)).toMatchObject(body)
  })

  it('streams a cut call', async () => {
    const deltas = (await stream('messages', cut)).map(({ delta }) => delta?.partial_json ?? '')
    expect(() => JSON.parse(deltas.join(''))).toThrow(SyntaxError)
  })
})

describe('a response', () => {
  needs('responses.create')
  const filtered = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
  it.each<[string, ScriptedAnswer, object]>([
    ['is filtered', safety, filtered],
    ['has no item', empty, { status: 'completed', output: [] }],
    ['is refused', refusal, { output: [{ content: [{ type: 'refusal', refusal: 'I cannot.' }] }] }],
    [
      'has a cut call',
      cut,
      {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete' }],
      },
    ],
  ])('%s', async (_name, answer, body) => {
    expect(await ask('responses', answer)).toMatchObject(body)
    expect((await stream('responses', answer)).at(-1)).toMatchObject({ response: body })
  })

  it('streams a refusal', async () => {
    const events = await stream('responses', refusal)
    expect(events.map(({ type }) => type as string)).toEqual(
      expect.arrayContaining(['response.refusal.delta', 'response.refusal.done']),
    )
  })
})
