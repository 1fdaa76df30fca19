import { array, assert, constantFrom, letrec, oneof, property, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { PatternError, readPattern, sequenceProblem } from '../../../src/scenario/schema/sequence-pattern.ts'

function fits(source: string, words: readonly string[]): boolean {
  const pattern = readPattern(source)
  let states = pattern.start
  for (const word of words) states = pattern.next(states, [word])
  return pattern.isWhole(states)
}

it.each<[string, string, boolean]>([
  ['submit poll+ content', 'submit poll poll content', true],
  ['submit poll+ content', 'submit content', false],
  ['submit poll+ content', 'submit poll', false],
  ['submit poll* (content | image)?', 'submit image', true],
  ['submit poll* (content | image)?', 'submit', true],
  ['submit (poll modal)+', 'submit poll modal poll modal', true],
  ['submit (poll modal)+', 'submit poll modal poll', false],
  ['a|b c', 'b c', true],
  ['a|b c', 'a c', false],
])('reads %s: %s fits: %s', (source, words, fit) => {
  expect(fits(source, words.split(' '))).toBe(fit)
})

it.each(['', '+', 'a (b', 'a b)', 'a || b', 'a+*', '(', 'a 1', 'a'.repeat(2_000)])('refuses %s', (source) => {
  expect(() => readPattern(source)).toThrow(PatternError)
})

const advice = 'Write words with +, *, ?, | and brackets, as in "submit poll+ content"'

it.each([
  ['', `"": a word is missing. ${advice}`],
  ['a || b', `"a || b": a word is missing. ${advice}`],
  ['a (b', `"a (b": a bracket is not closed. ${advice}`],
  ['a b)', `"a b)": ")" doesn't belong there. ${advice}`],
  ['a+*', `"a+*": "*" doesn't belong there. ${advice}`],
  ['a 1', `"a 1": "1" doesn't belong there. ${advice}`],
  ['a'.repeat(1_001), 'it is longer than 1000 characters'],
  [`(${'a '.repeat(100)}`, `"(${'a '.repeat(49)}a": a bracket is not closed. ${advice}`],
])('says what is wrong with the sequence %j', (source, message) => {
  expect(() => readPattern(source)).toThrow(new PatternError(message))
  expect(sequenceProblem(source)).toBe(message)
})

it('reads a sequence of the maximum length', () => {
  expect(readPattern('a'.repeat(1_000)).words).toEqual(['a'.repeat(1_000)])
})

it('lists the words of a sequence, with capital letters and digits', () => {
  const { source, words } = readPattern('Submit poll-2 (B|c)* Submit')
  expect([source, words]).toEqual(['Submit poll-2 (B|c)* Submit', ['Submit', 'poll-2', 'B', 'c', 'Submit']])
})

it('reports what would have matched', () => {
  const pattern = readPattern('submit poll+ (content|image)')
  const states = pattern.next(pattern.next(pattern.start, ['submit']), ['poll', 'any'])
  expect(pattern.expected(states).toSorted()).toEqual(['content', 'image', 'poll'])
})

it('agrees with the equivalent regular expression', () => {
  const { source } = letrec<{ source: string }>((tie) => ({
    source: oneof(
      { depthSize: 'small' },
      constantFrom('a', 'b', 'c'),
      tuple(tie('source'), tie('source')).map(([one, other]) => `${one} ${other}`),
      tuple(tie('source'), tie('source')).map(([one, other]) => `(${one} | ${other})`),
      tuple(tie('source'), constantFrom('+', '*', '?')).map(([one, sign]) => `(${one})${sign}`),
    ),
  }))
  assert(
    property(source, array(constantFrom('a', 'b', 'c'), { maxLength: 8 }), (written, words) => {
      const regex = new RegExp(`^(?:${written.replaceAll(' ', '')})$`)
      expect(fits(written, words)).toBe(regex.test(words.join('')))
    }),
    { numRuns: 1_000, seed: 1 },
  )
})

it('matches any pattern in linear time', () => {
  const many = Array.from({ length: 5_000 }, () => 'a')
  expect(fits('((a*)*)* b', many)).toBe(false)
})
