import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TextCall, TextRequest, Tool, Turn } from '../../src/text/spec.ts'
import { loadWriter } from '../../src/text/write/writer.ts'
import { ask, chance } from './ask.ts'

const writer = await loadWriter()

const tool = (name: string, properties: object = {}, more: object = {}): Tool => ({
  name,
  parameters: {
    dialect: 'json-schema',
    schema: { type: 'object', properties, required: Object.keys(properties), ...more },
  },
})
const city = { city: { type: 'string' } }
const weather = tool('get_weather', city)
const time = tool('get_time', city)
const mail = tool('send_mail', { to: { type: 'string' } })
const final = tool('final_answer', { text: { type: 'string' } })

/** The calls of as many turns, each of which a tool answers. */
function callsOf(prompt: string, tools: Tool[], turns: number, parallel = true): TextCall[][] {
  const history: Turn[] = [{ role: 'user', parts: [{ type: 'text', text: prompt }] }]
  return Array.from({ length: turns }, () => {
    const toolChoice: TextRequest['toolChoice'] = { mode: 'required', parallel }
    const { calls } = writer.answer(ask('', { turns: history, tools, toolChoice }), chance(1, prompt)).candidates[0]! // prettier-ignore
    history.push({ role: 'assistant', parts: calls.map((call) => ({ type: 'call', ...call })) })
    history.push({ role: 'tool', parts: calls.map(({ name, id }) => ({ type: 'result', name, id, value: { ok: true } })) }) // prettier-ignore
    return [...calls]
  })
}

const namesOf = (turns: TextCall[][]): string[][] => turns.map((calls) => calls.map(({ name }) => name))

it('calls what suits the prompt first, then the tool that takes the final answer', () => {
  expect(namesOf(callsOf('What is the weather in Oslo?', [final, mail, weather], 2))).toEqual([
    ['get_weather'],
    ['final_answer'],
  ])
})

it('calls one after the other if calls may not be parallel', () => {
  const prompt = 'What are the weather and the time in Oslo?'
  const names = namesOf(callsOf(prompt, [final, weather, time], 3, false))
  expect(names.slice(0, 2).flat().toSorted()).toEqual(['get_time', 'get_weather'])
  expect(names[2]).toEqual(['final_answer'])
})

it.each(['final_answer', 'extract-1', 'ContactAnswer', 'done', 'submitResult', 'respond'])(
  'takes %s for the final tool',
  (name) => {
    const names = namesOf(callsOf('Weather in Oslo?', [tool(name), weather], 2))
    expect(names).toEqual([['get_weather'], [name]])
  },
)

it('takes a tool that is named like its schema for the final one', () => {
  const response = tool('ContactInfo', { name: { type: 'string' } }, { title: 'ContactInfo' })
  expect(namesOf(callsOf('Weather in Oslo?', [response, weather], 2))).toEqual([
    ['get_weather'],
    ['ContactInfo'],
  ])
})

it('calls some tool first if none suits the prompt, and then the final one', () => {
  expect(namesOf(callsOf('Hello there', [final, mail], 2))).toEqual([['send_mail'], ['final_answer']])
})

it('goes through the places of a prompt if calls may not be parallel', () => {
  const turns = callsOf('Weather in Oslo, Bergen and Rome?', [weather, final], 4, false)
  expect(turns.flat().map(({ args }) => args['city'])).toEqual(['Oslo', 'Bergen', 'Rome', undefined])
})

it('varies the arguments of the only tool', () => {
  const cities = callsOf('Weather in Oslo?', [weather], 4).flat().map(({ args }) => args['city']) // prettier-ignore
  expect(cities[0]).toBe('Oslo')
  expect(new Set(cities).size).toBe(4)
})

it('calls the only tool again if it takes no arguments', () => {
  expect(namesOf(callsOf('Ping', [tool('ping')], 3))).toEqual([['ping'], ['ping'], ['ping']])
})

it('comes to the final tool within as many turns as there are tools, and repeats no call before', () => {
  const names = fc.uniqueArray(fc.constantFrom('get_weather', 'get_time', 'send_mail', 'search_web', 'book'), { minLength: 1 }) // prettier-ignore
  fc.assert(
    fc.property(names, fc.boolean(), fc.lorem(), (others, parallel, words) => {
      const tools = [final, ...others.map((name) => tool(name, city))]
      const turns = callsOf(`${words}: weather and time`, tools, tools.length, parallel)
      const end = turns.findIndex((calls) => calls.some(({ name }) => name === 'final_answer'))
      expect(end).toBeGreaterThan(0)
      const calls = turns.slice(0, end).flat().map(({ name, args }) => JSON.stringify([name, args])) // prettier-ignore
      expect(new Set(calls).size).toBe(calls.length)
    }),
    { numRuns: 60 },
  )
})

it('starts again when the user speaks again', () => {
  const turns: Turn[] = [
    { role: 'user', parts: [{ type: 'text', text: 'Weather in Oslo?' }] },
    { role: 'assistant', parts: [{ type: 'call', name: 'get_weather', args: { city: 'Oslo' }, id: 'a' }] },
    { role: 'tool', parts: [{ type: 'result', name: 'get_weather', value: 4, id: 'a' }] },
    { role: 'user', parts: [{ type: 'text', text: 'Weather in Oslo once more?' }] },
  ]
  const request = ask('', { turns, tools: [weather, final], toolChoice: { mode: 'required', parallel: true } }) // prettier-ignore
  expect(writer.answer(request, chance()).candidates[0]!.calls).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }]) // prettier-ignore
})
