import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkTextSettings } from '../../src/text/fixed-answer.ts'
import { paceText } from '../../src/text/pace.ts'
import type { TextSettings } from '../../src/text/spec.ts'
import { chance } from './ask.ts'

it('gives every token at once by default', () => {
  expect(paceText('Hello there!', {}, chance())).toEqual([
    { text: 'Hello', atMs: 0 },
    { text: ' there', atMs: 0 },
    { text: '!', atMs: 0 },
  ])
})

it('waits for the first token, then keeps its speed', () => {
  const chunks = paceText('one two three four', { firstToken: '300ms', tokensPerSecond: 20 }, chance())
  expect(chunks).toEqual([
    { text: 'one', atMs: 300 },
    { text: ' two', atMs: 350 },
    { text: ' three', atMs: 400 },
    { text: ' four', atMs: 450 },
  ])
})

it('draws its gaps by key', () => {
  const pace = {
    firstToken: { normal: { mean: '200ms', sd: '50ms' } },
    gap: { uniform: ['10ms', '90ms'] as const },
  }
  const text = 'several words that come one by one'
  expect(paceText(text, pace, chance(3))).toEqual(paceText(text, pace, chance(3)))
  expect(paceText(text, pace, chance(3))).not.toEqual(paceText(text, pace, chance(4)))
  expect(paceText(text, pace, chance(3), 'candidate/1')).not.toEqual(paceText(text, pace, chance(3)))
})

it('joins to exactly the text, at instants that never fall', () => {
  const pace = fc.record(
    {
      firstToken: fc.constantFrom('0s', '1s', { lognormal: { p50: '300ms', p95: '900ms' } }),
      tokensPerSecond: fc.double({ min: 0.5, max: 5_000, noNaN: true }),
      gap: fc.constantFrom('0s', { uniform: ['0s', '40ms'] as const }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), pace, fc.nat(), (text, settings, seed) => {
      const chunks = paceText(text, settings, chance(seed))
      expect(chunks.map((chunk) => chunk.text).join('')).toBe(text)
      expect(chunks.every((chunk) => chunk.text !== '')).toBe(true)
      expect(chunks.map(({ atMs }) => atMs)).toEqual(
        chunks.map(({ atMs }) => atMs).toSorted((one, other) => one - other),
      )
    }),
    { numRuns: 500 },
  )
})

it('keeps the number of chunks bounded', () => {
  expect(paceText('word '.repeat(50_000), {}, chance()).length).toBeLessThanOrEqual(4_096)
})

it.each<[TextSettings, string]>([
  [{ timing: { tokensPerSecond: 0 } }, 'tokensPerSecond is 0'],
  [{ timing: { firstToken: 'soon' } }, '"soon" is not a duration'],
  [{ answers: [{ text: 'fine' }, { prompt: 'x' }] }, 'answers[1] says nothing'],
  [{ answers: [{ text: 'a', json: 1 }] }, 'text and json'],
])('refuses %j', (settings, words) => {
  expect(() => checkTextSettings(settings)).toThrow(words)
})

it('takes settings that can be', () => {
  checkTextSettings({
    mode: 'echo',
    timing: { firstToken: '1s' },
    answers: [{ finish: 'safety' }, { text: '' }],
  })
})
