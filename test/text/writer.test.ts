import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TextRequest, TextSettings } from '../../src/text/spec.ts'
import { countTokens, tokenize } from '../../src/text/tokens.ts'
import { loadWriter } from '../../src/text/write/writer.ts'
import { ask, chance } from './ask.ts'
import { spentMs } from '../support/processor-time.ts'
import { codePoint } from '../support/arbitraries.ts'

const writer = await loadWriter()

const say = (prompt: string, changes: Partial<TextRequest> = {}, seed = 1): string =>
  writer.answer(ask(prompt, changes), chance(seed, prompt)).candidates[0]!.text

const withSettings = async (settings: TextSettings, request: TextRequest) =>
  (await loadWriter(settings)).answer(request, chance())

it('gives the same answer for the same seed and request, and another one for another seed', () => {
  const request = ask('Tell me about paper boats', { candidates: 2, logprobs: 3 })
  expect(writer.answer(request, chance(7))).toEqual(writer.answer(request, chance(7)))
  expect(writer.answer(request, chance(7))).not.toEqual(writer.answer(request, chance(8)))
})

it.each([
  ['What is the capital of France?', 'capital of France'],
  ['Write a story about a lonely lighthouse keeper', 'lonely lighthouse keeper'],
  ['Explain how photosynthesis works', 'photosynthesis'],
  ['Please give me five tips for growing tomatoes', 'growing tomatoes'],
  ['你好，请介绍一下北京', '北京'],
])('speaks of what %j is about', (prompt, topic) => {
  for (let seed = 0; seed < 5; seed++)
    expect(say(prompt, {}, seed).toLowerCase()).toContain(topic.toLowerCase())
})

it('answers a short question shortly and a story at length', () => {
  expect(countTokens(say('Capital of France?'))).toBeLessThan(80)
  expect(countTokens(say('Write a story about a red kite'))).toBeGreaterThan(120)
  expect(countTokens(say('Write a story about a red kite', { system: 'Be brief.' }))).toBeLessThan(
    countTokens(say('Write a story about a red kite')),
  )
})

it('writes the requested number of items and sentences', () => {
  expect(say('List 7 ideas for a rainy day').match(/^\d+\. /gm)).toHaveLength(7)
  expect(say('Describe the sea in three sentences').match(/[.!?](?:\s|$)/g)).toHaveLength(3)
})

it('writes what the prompt dictates, and adds up', () => {
  expect(say('Say "pong".')).toBe('Pong')
  expect(say('What is 6 * 7?')).toBe('6 * 7 is 42.')
})

it('speaks of the last user turn, and may look back', () => {
  const turns: TextRequest['turns'] = [
    { role: 'user', parts: [{ type: 'text', text: 'Tell me about volcanoes' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'They are hot.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'And what about glaciers?' }] },
  ]
  const answers = Array.from({ length: 10 }, (_, seed) => say('', { turns }, seed).toLowerCase())
  expect(answers.every((answer) => answer.includes('glaciers'))).toBe(true)
  expect(answers.some((answer) => answer.includes('volcanoes'))).toBe(true)
})

it('cuts at the limit of tokens, and says so', () => {
  const { text, finish, answerTokens } = writer.answer(
    ask('Write a story about rain', { maxTokens: 12 }),
    chance(),
  ).candidates[0]!
  expect(finish).toBe('length')
  expect(answerTokens).toBe(12)
  expect(tokenize(text)).toHaveLength(12)
})

it('cuts at the first character when one token is allowed, and writes nothing for none', () => {
  expect(writer.answer(ask('Hello', { maxTokens: 1 }), chance()).candidates[0]).toMatchObject({
    answerTokens: 1,
    finish: 'length',
  })
  expect(writer.answer(ask('Hello', { maxTokens: 0 }), chance()).candidates[0]).toMatchObject({
    text: '',
    finish: 'length',
  })
})

it('ends before the first stop sequence', () => {
  const request = ask('[[say: one, two, three]]', { stop: ['three', ', two', ''] })
  expect(writer.answer(request, chance()).candidates[0]).toMatchObject({ text: 'one', finish: 'stop' })
})

it('gives each candidate another text, and keeps very many of them short', () => {
  const three = writer.answer(ask('Tell me about boats', { candidates: 3 }), chance()).candidates
  expect(new Set(three.map(({ text }) => text)).size).toBe(3)
  const many = writer.answer(ask('Write a story about boats', { candidates: 128 }), chance())
  expect(many.candidates).toHaveLength(128)
  expect(many.usage.answer).toBeLessThan(128 * 60)
})

it('adds its tokens up', () => {
  const request = ask('Why do boats float?', { candidates: 2, thinking: { budget: 40, include: true } })
  const { usage, candidates } = writer.answer(request, chance())
  expect(usage.prompt.total).toBe(countTokens('Why do boats float?'))
  expect(usage.answer).toBe(candidates.reduce((sum, { text }) => sum + countTokens(text), 0))
  expect(usage.thoughts).toBe(candidates.reduce((sum, { thoughts }) => sum + countTokens(thoughts!), 0))
  expect(usage.total).toBe(usage.prompt.total + usage.answer + usage.thoughts)
})

it('thinks within its budget, counts thoughts it does not show, and is off at 0', () => {
  const think = (budget: number | 'auto', include: boolean) =>
    writer.answer(ask('Why do boats float?', { thinking: { budget, include } }), chance()).candidates[0]!
  expect(think(25, true).thoughtTokens).toBeLessThanOrEqual(25)
  expect(think(25, true).thoughts).toContain('boats float')
  expect(think('auto', false).thoughtTokens).toBeGreaterThan(10)
  expect(think('auto', false).thoughts).toBeUndefined()
  expect(think(0, true)).toMatchObject({ thoughtTokens: 0 })
})

it('has no answer left where thoughts take all tokens', () => {
  const request = ask('Why do boats float?', { maxTokens: 5, thinking: { budget: 'auto', include: false } })
  expect(writer.answer(request, chance()).candidates[0]).toMatchObject({
    text: '',
    finish: 'length',
    thoughtTokens: 5,
    answerTokens: 0,
  })
})

it('gives a log probability for each token, with alternatives in order', () => {
  const { text, logprobs } = writer.answer(ask('Tell me about boats', { logprobs: 5 }), chance())
    .candidates[0]!
  expect(logprobs!.map(({ token }) => token).join('')).toBe(text)
  for (const { token, logprob, top } of logprobs!) {
    expect(logprob).toBeLessThanOrEqual(0)
    expect(top).toHaveLength(5)
    expect(new Set(top.map((each) => each.token)).size).toBe(5)
    expect(top).toContainEqual({ token, logprob })
    expect(top.map((each) => each.logprob)).toEqual(
      top.map((each) => each.logprob).toSorted((one, other) => other - one),
    )
    expect(top.reduce((sum, each) => sum + Math.exp(each.logprob), 0)).toBeLessThanOrEqual(1.000_01)
  }
})

it('lists no alternatives by default', () => {
  expect(writer.answer(ask('Hi', { logprobs: 0 }), chance()).candidates[0]!.logprobs![0]!.top).toEqual([])
})

it.each([
  ['[[block]] hello', { blocked: 'safety', candidates: [] }],
  ['[[block prohibited_content]]', { blocked: 'prohibited_content' }],
  ['[[stop safety]] tell me a story', { candidates: [{ finish: 'safety' }] }],
  ['[[stop recitation]]', { candidates: [{ finish: 'recitation' }] }],
  ['[[tokens 200]] boats', { candidates: [{ finish: 'length', answerTokens: 200 }] }],
  ['[[say: exact  text]]', { candidates: [{ text: 'exact  text', finish: 'stop' }] }],
  [`[[say: ${'x'.repeat(100_000)}]]`, { candidates: [{ text: 'x'.repeat(100_000), finish: 'stop' }] }],
  ['[[say: Nein.]] [[tokens 1]]', { candidates: [{ text: 'Nein', finish: 'length' }] }],
])('obeys %j', (prompt, answer) => {
  expect(writer.answer(ask(prompt), chance())).toMatchObject(answer)
})

it('shows its thoughts for [[think]], and leaves other brackets alone', () => {
  expect(writer.answer(ask('[[think]] boats'), chance()).candidates[0]!.thoughts).toContain('boats')
  expect(writer.answer(ask('[[block whales]] [[tokens many]]'), chance())).not.toHaveProperty('blocked')
})

it('refuses a prompt before it thinks of tokens', () => {
  expect(writer.answer(ask('[[block]] hello there'), chance()).usage).toMatchObject({
    answer: 0,
    thoughts: 0,
  })
})

it('answers with the last user text in echo mode', async () => {
  const { candidates } = await withSettings({ mode: 'echo' }, ask('Say it again, Sam.'))
  expect(candidates[0]!.text).toBe('Say it again, Sam.')
})

it('gives the first fixed answer that fits model and prompt', async () => {
  const settings: TextSettings = {
    answers: [
      { model: 'other-*', text: 'not this' },
      { prompt: '*capital of france*', text: 'Paris.' },
      { prompt: '*as json*', json: { city: 'Paris' } },
      { prompt: '*bomb*', block: 'safety' },
      { prompt: '*secret*', text: 'I can', finish: 'safety' },
      { prompt: '*call*', calls: [{ name: 'ring', args: { times: 2 } }] },
    ],
  }
  const answer = async (prompt: string) => withSettings(settings, ask(prompt))
  expect(await answer('What is the Capital of France?')).toMatchObject({ candidates: [{ text: 'Paris.' }] })
  expect(await answer('It, as JSON')).toMatchObject({ candidates: [{ text: '{"city":"Paris"}' }] })
  expect(await answer('a bomb')).toMatchObject({ blocked: 'safety' })
  expect(await answer('a secret')).toMatchObject({ candidates: [{ text: 'I can', finish: 'safety' }] })
  expect(await answer('call me')).toMatchObject({
    candidates: [{ finish: 'tool_calls', calls: [{ name: 'ring', args: { times: 2 } }] }],
  })
  expect((await answer('a boat')).candidates[0]!.text).toContain('boat')
})

it('writes an object in JSON mode, and takes from the prompt what a schema has room for', () => {
  expect(JSON.parse(say('Describe a boat', { output: { kind: 'json' } }))).toMatchObject({
    keywords: ['boat'],
  })
  const schema = {
    type: 'OBJECT',
    properties: {
      name: { type: 'STRING' },
      age: { type: 'INTEGER' },
      city: { type: 'STRING' },
      mood: { type: 'STRING', enum: ['GLAD', 'SAD'] },
    },
    required: ['name', 'age', 'city', 'mood'],
  }
  const prompt = 'Extract: Ann Lee is 33 years old, sad, and lives in Paris'
  const text = say(prompt, { output: { kind: 'schema', schema: { dialect: 'native', schema } } })
  expect(JSON.parse(text)).toEqual({ name: 'Ann Lee', age: 33, city: 'Paris', mood: 'SAD' })
})

it('answers one bare value of an enumeration', () => {
  const schema = { dialect: 'native' as const, schema: { type: 'STRING', enum: ['oboe', 'drum'] } }
  expect(say('A woodwind: oboe or kettle?', { output: { kind: 'enum', schema } })).toBe('oboe')
})

it('is well-formed and bounded for any prompt', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: codePoint, maxLength: 200 }),
      fc.nat(),
      fc.nat({ max: 30 }),
      (prompt, seed, maxTokens) => {
        const { candidates } = writer.answer(ask(prompt, { maxTokens }), chance(seed, prompt))
        for (const { text, answerTokens } of candidates) {
          expect(answerTokens).toBeLessThanOrEqual(maxTokens)
          expect(countTokens(text)).toBe(answerTokens)
          expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
          expect(text).not.toMatch(/\{\w+\}|undefined|NaN/)
        }
      },
    ),
    { numRuns: 300 },
  )
})

it.each([
  ['a megabyte of text', ask('word '.repeat(200_000))],
  ['a megabyte without blanks', ask('x'.repeat(1_000_000))],
  ['a megabyte of brackets', ask('[['.repeat(500_000))],
  ['a megabyte of capitals', ask('In Oslo, '.repeat(110_000), { tools: [{ name: 'get_weather' }] })],
  [
    'ten thousand turns',
    ask('', {
      turns: Array.from({ length: 10_000 }, () => ({
        role: 'user' as const,
        parts: [{ type: 'text' as const, text: 'Hi there, tell me more?' }],
      })),
    }),
  ],
  ['half a million flags', ask('🇳🇴'.repeat(500_000))],
  ['128 long answers', ask('[[tokens 20000]] boats', { candidates: 128 })],
  ['128 candidates of a story', ask('Write a long story about boats', { candidates: 128 })],
  ['4 answers with all alternatives', ask('Why do kites fly?', { candidates: 4, logprobs: 20 })],
])('answers %s quickly', (_, request) => {
  // Half a second on a busy machine, most of it for the long answers.
  expect(spentMs(() => writer.answer(request, chance()))).toBeLessThan(4_000)
})

it.each([
  ['128 long answers', '100000 log probabilities', ask('[[tokens 20000]] boats', { candidates: 128, logprobs: 20 })], // prettier-ignore
  ['128 copies of a long text', '8000000 characters', ask(`[[say: ${'word '.repeat(15_000)}]]`, { candidates: 128 })], // prettier-ignore
])('refuses %s quickly: an answer has at most %s', (_, limit, request) => {
  const spent = spentMs(() => {
    const message = `The answer would have more than ${limit}. Request less of it.`
    expect(() => writer.answer(request, chance())).toThrow(message)
  })
  expect(spent).toBeLessThan(1_000)
})

it('cuts long topics between characters', () => {
  for (const count of [200, 399, 400, 401]) {
    const answered = say(`${'x'.repeat(count % 2)}${'😀'.repeat(count)}`)
    expect(answered).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
  }
})
