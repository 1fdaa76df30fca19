import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import {
  SchemaRefused,
  type TextCandidate,
  type TextRequest,
  type Tool,
  type Turn,
} from '../../src/text/spec.ts'
import { loadWriter } from '../../src/text/write/writer.ts'
import { ask, chance } from './ask.ts'

const writer = await loadWriter()

const tool = (name: string, properties: object, required: string[] = [], description = ''): Tool => ({
  name,
  description,
  parameters: {
    dialect: 'json-schema',
    schema: { type: 'object', properties, required, additionalProperties: false },
  },
})

const weather = tool(
  'get_weather',
  { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] }, days: { type: 'integer' } },
  ['city'],
  'The weather of a city',
)
const flights = tool('searchFlights', { origin: { type: 'string' }, destination: { type: 'string' }, date: { type: 'string', format: 'date' }, passengers: { type: 'integer', minimum: 1 } }, ['origin', 'destination']) // prettier-ignore
const mail = tool('send_email', { to: { type: 'string', format: 'email' }, subject: { type: 'string' } }, [
  'to',
  'subject',
])
const search = tool('web_search', { query: { type: 'string' } }, ['query'], 'Searches the web for pages')

const answer = (prompt: string, tools: Tool[], changes: Partial<TextRequest> = {}): TextCandidate =>
  writer.answer(ask(prompt, { tools, ...changes }), chance(1, prompt)).candidates[0]!

it('calls the tool that the prompt speaks of, with its words', () => {
  const { calls, finish, text } = answer('What is the weather in Oslo?', [flights, weather, mail])
  expect(calls).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }])
  expect(calls[0]!.id).toMatch(/^[0-9a-f]{32}$/)
  expect({ finish, text }).toEqual({ finish: 'tool_calls', text: '' })
})

it.each([
  [
    'Weather in New York for 3 days, in celsius please',
    weather,
    { city: 'New York', days: 3, unit: 'celsius' },
  ],
  [
    'Search flights from Oslo to Rome on 2026-12-24 for two passengers',
    flights,
    { origin: 'Oslo', destination: 'Rome', date: '2026-12-24', passengers: 2 },
  ],
  [
    'Send an email to ann@example.org with the subject "Lunch"',
    mail,
    { to: 'ann@example.org', subject: 'Lunch' },
  ],
  ['Search the web for paper boats', search, { query: 'paper boats' }],
])('fills the arguments from %j', (prompt, declared, args) => {
  expect(answer(prompt, [declared]).calls[0]!.args).toEqual(args)
})

it('calls a tool once for each place, unless calls may not be parallel', () => {
  const prompt = 'Compare the weather in Oslo, Bergen and Rome'
  const places = (parallel: boolean) =>
    answer(prompt, [weather], { toolChoice: { mode: 'auto', parallel } }).calls.map(
      ({ args }) => args['city'],
    )
  expect(places(true)).toEqual(['Oslo', 'Bergen', 'Rome'])
  expect(places(false)).toEqual(['Oslo'])
})

it('calls several tools that fit, each with an id of its own', () => {
  const { calls } = answer('Find flights from Oslo to Rome, and the weather there', [weather, flights, mail])
  expect(calls.map(({ name }) => name).toSorted()).toEqual(['get_weather', 'searchFlights'])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
})

it('answers in words where no tool fits, or none may be called', () => {
  expect(answer('Tell me a joke', [weather, mail]).calls).toEqual([])
  expect(
    answer('Weather in Oslo?', [weather], { toolChoice: { mode: 'none', parallel: true } }).calls,
  ).toEqual([])
})

it('calls a tool whatever the prompt says where one is required, and only those allowed', () => {
  const required = { mode: 'required' as const, parallel: true }
  expect(answer('Tell me a joke', [weather, mail], { toolChoice: required }).calls).toHaveLength(1)
  const { calls } = answer('Weather in Oslo?', [weather, mail], {
    toolChoice: { ...required, allowed: ['send_email'] },
  })
  expect(calls.map(({ name }) => name)).toEqual(['send_email'])
})

it('writes arguments that are valid for what the tool declares', () => {
  const strict = tool('book', { seats: { type: 'array', items: { type: 'integer', minimum: 10, maximum: 12 }, minItems: 2 }, code: { type: 'string', pattern: '^[A-Z]{3}\\d$' } }, ['seats', 'code']) // prettier-ignore
  const check = new Ajv2020().compile(strict.parameters!.schema as object)
  for (let seed = 0; seed < 50; seed++) {
    const request = ask('Book 3 seats', { tools: [strict], toolChoice: { mode: 'required', parallel: true } })
    const { args } = writer.answer(request, chance(seed)).candidates[0]!.calls[0]!
    expect(check(args), JSON.stringify(args)).toBe(true)
  }
})

it('takes a tool without parameters, and refuses one with impossible ones by its name', () => {
  expect(answer('What time is it?', [{ name: 'current_time' }]).calls).toMatchObject([{ args: {} }])
  const impossible = tool('mend', { size: { type: 'integer', minimum: 3, maximum: 1 } })
  expect(() => writer.check(ask('Hi', { tools: [weather, impossible] }))).toThrow(SchemaRefused)
  try {
    writer.check(ask('Hi', { tools: [weather, impossible] }))
  } catch (error) {
    expect(error).toMatchObject({ pointer: '/properties/size/minimum' })
    expect((error as Error).message).toContain('parameters of "mend"')
  }
})

it('does not call where the call is longer than the tokens allowed', () => {
  expect(answer('Weather in Oslo?', [weather], { maxTokens: 3 })).toMatchObject({
    calls: [],
    finish: 'length',
    text: '',
  })
})

function afterResult(value: unknown, prompt = 'Weather in Oslo?'): TextCandidate {
  const turns: Turn[] = [
    { role: 'user', parts: [{ type: 'text', text: prompt }] },
    { role: 'assistant', parts: [{ type: 'call', name: 'get_weather', args: { city: 'Oslo' }, id: 'a' }] },
    { role: 'tool', parts: [{ type: 'result', name: 'get_weather', value, id: 'a' }] },
  ]
  return answer('', [weather], { turns })
}

it.each([
  [{ temperature: 4, sky: 'light rain' }, ['temperature is 4', 'sky is light rain']],
  ['{"temperature":4}', ['temperature is 4']],
  ['It is cold.', ['It is cold.']],
  [{ result: [{ name: 'Ann' }, { name: 'Bob' }] }, ['number of results is 2', 'Ann']],
  [{ result: ['red', 'blue'] }, ['red, blue']],
  [{ error: 'no such city' }, ['error: no such city']],
  [{}, ['no result']],
  [null, ['no result']],
  ['', ['no result']],
])('tells what a tool answered: %j', (value, words) => {
  const { text, calls, finish } = afterResult(value)
  expect({ calls, finish }).toEqual({ calls: [], finish: 'stop' })
  for (const each of words) expect(text).toContain(each)
})

it('tells what all tools of a turn answered, and calls again only for the next question', () => {
  const turns: Turn[] = [
    { role: 'user', parts: [{ type: 'text', text: 'Weather in Oslo and Rome?' }] },
    { role: 'assistant', parts: [{ type: 'call', name: 'get_weather', args: {} }] },
    { role: 'tool', parts: [{ type: 'result', name: 'get_weather', value: { oslo: 4 } }] },
    { role: 'tool', parts: [{ type: 'result', name: 'get_weather', value: { rome: 21 } }] },
  ]
  expect(answer('', [weather], { turns }).text).toMatch(/oslo is 4.*rome is 21/i)
  const next: Turn = { role: 'user', parts: [{ type: 'text', text: 'And the weather in Bergen?' }] }
  expect(answer('', [weather], { turns: [...turns, next] }).calls).toMatchObject([
    { args: { city: 'Bergen' } },
  ])
})

it('takes results that come as a turn of the user, and fills structured output from them', () => {
  const turns: Turn[] = [
    { role: 'user', parts: [{ type: 'text', text: 'Weather in Oslo?' }] },
    { role: 'assistant', parts: [{ type: 'call', name: 'get_weather', args: { city: 'Oslo' } }] },
    {
      role: 'user',
      parts: [{ type: 'result', name: 'get_weather', value: { now: { temperature: -7, sky: 'snow' } } }],
    },
  ]
  expect(answer('', [weather], { turns })).toMatchObject({ calls: [], finish: 'stop' })
  const schema = { type: 'object', properties: { temperature: { type: 'number' }, sky: { type: 'string' }, city: { type: 'string' } }, required: ['temperature', 'sky', 'city'] } // prettier-ignore
  const { text } = answer('', [weather], {
    turns,
    output: { kind: 'schema', schema: { dialect: 'json-schema', schema } },
  })
  expect(JSON.parse(text)).toEqual({ temperature: -7, sky: 'snow', city: 'Oslo' })
})

const turnOf = (role: 'user' | 'assistant', text: string): Turn => ({ role, parts: [{ type: 'text', text }] })

const called = (id: string, value: unknown): Turn[] => [
  { role: 'assistant', parts: [{ type: 'call', name: 'get_weather', args: {}, id }] },
  { role: 'tool', parts: [{ type: 'result', name: 'get_weather', value, id }] },
]

function structured(turns: Turn[], properties: object): unknown {
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  const { text } = answer('', [], {
    turns,
    output: { kind: 'schema', schema: { dialect: 'json-schema', schema } },
  })
  return JSON.parse(text)
}

const forecast = { city: { type: 'string' }, degrees: { type: 'number' } }

it.each([
  ['the assistant has answered', [turnOf('assistant', 'It is 17 degrees.')]],
  ['the user wants it as JSON', [turnOf('assistant', '17.'), turnOf('user', 'Summarise that as JSON')]],
  ['another tool has answered', called('b', { pressure: 1013 })],
])('fills structured output from the result of a tool after %s', (_, rest) => {
  const turns = [turnOf('user', 'Weather in Oslo?'), ...called('a', '{"degrees":17,"city":"Oslo"}'), ...rest]
  expect(structured(turns, forecast)).toEqual({ city: 'Oslo', degrees: 17 })
})

it('fills structured output from the latest result, and from a measure in words', () => {
  const turns = [
    turnOf('user', 'Weather in Oslo?'),
    ...called('a', { degrees: 4 }),
    ...called('b', { degrees: 9 }),
  ]
  expect(structured(turns, forecast)).toEqual({ city: 'Oslo', degrees: 9 })
  const words = [turnOf('user', 'Weather in Oslo?'), ...called('a', "It's 17 degrees and sunny."), turnOf('assistant', 'Warm.')] // prettier-ignore
  expect(structured(words, forecast)).toEqual({ city: 'Oslo', degrees: 17 })
})

it('prefers the words of a new prompt to the results of an earlier turn', () => {
  const turns = [turnOf('user', 'Weather in Oslo?'), ...called('a', { city: 'Oslo', degrees: 17 }), turnOf('assistant', '17.'), turnOf('user', 'And in Bergen?')] // prettier-ignore
  expect(structured(turns, forecast)).toMatchObject({ city: 'Bergen' })
})

it('calls a tool that only gives the answer its format, whatever the prompt says', () => {
  const output = tool('format_output', { name: { type: 'string' } }, ['name'], 'Respond with a JSON object')
  const { calls } = answer('Hello', [output])
  expect(calls).toMatchObject([{ name: 'format_output', args: { name: expect.any(String) } }])
  expect(answer('Hello', [search]).calls).toEqual([])
})

it('gives its answer a format after the other tools have answered, and once', () => {
  const extract = tool('extract-1', { name: { type: 'string' } }, ['name'], 'Extracts structured output')
  const asking = 'What is the weather in Oslo?'
  const first = answer(asking, [weather, extract]).calls
  expect(first).toMatchObject([{ name: 'get_weather' }])
  const afterCall = ([call]: typeof first, value: object): Turn[] => [
    { role: 'assistant', parts: [{ type: 'call', ...call! }] },
    { role: 'tool', parts: [{ type: 'result', id: call!.id, name: call!.name, value }] },
  ]
  const turns: Turn[] = [...ask(asking).turns, ...afterCall(first, { degrees: 17 })]
  const second = answer(asking, [weather, extract], { turns }).calls
  expect(second).toMatchObject([{ name: 'extract-1' }])
  const all = [...turns, ...afterCall(second, { ok: true })]
  expect(answer(asking, [weather, extract], { turns: all }).calls).toEqual([])
})

it('calls a tool in every answer if the fixed answer says so, also after its result', () => {
  const always = { calls: 'always' } as const
  const prompt = 'What is the weather in Oslo?'
  const called: TextCandidate[] = []
  const turns: Turn[] = [...ask(prompt).turns]
  for (let round = 0; round < 3; round++) {
    const { candidates } = writer.answer(ask(prompt, { turns, tools: [flights, weather] }), chance(), always)
    const [{ calls }] = (called.push(...candidates), candidates as [TextCandidate])
    const [{ id, name, args }] = calls as [TextCandidate['calls'][number]]
    turns.push({ role: 'assistant', parts: [{ type: 'call', id, name, args }] })
    turns.push({ role: 'tool', parts: [{ type: 'result', id, name, value: { sky: 'clear' } }] })
  }
  expect(called.map(({ calls, finish }) => [calls[0]!.name, calls[0]!.args['city'], finish])).toEqual(
    Array.from({ length: 3 }, () => ['get_weather', 'Oslo', 'tool_calls']),
  )
})

it.each([
  ['allows none', { toolChoice: { mode: 'none', parallel: true } as const, tools: [weather] }],
  ['declares none', {}],
])('writes a text in place of a fixed tool call if the request %s', (_, changes) => {
  const { candidates } = writer.answer(ask('weather in Oslo', changes), chance(), { calls: 'always' })
  expect(candidates).toMatchObject([{ calls: [], finish: 'stop', text: expect.stringMatching(/\w{3}/) }])
})

it('calls no tool for the final answer in a loop, unless there is no other', () => {
  const final = tool('final_answer', { answer: { type: 'string' } })
  const nameOf = (tools: Tool[]): string | undefined =>
    writer.answer(ask('the final answer, please', { tools }), chance(), { calls: 'always' }).candidates[0]!
      .calls[0]?.name
  expect([nameOf([final, weather]), nameOf([final])]).toEqual(['get_weather', 'final_answer'])
})
