import { expect, it } from 'vitest'
import { didYouMean, editDistance, nearest, noneOf, suggestKnown } from '../../src/engine/did-you-mean.ts'

it('suggests the nearest word in any case, and none that is far', () => {
  expect(didYouMean('Promt', ['model', 'prompt', 'prop'])).toBe(' Did you mean "prompt"?')
  expect(nearest('abcdef', ['abcdxy', 'abcxyz'])).toBe('abcdxy')
  expect(nearest('abcdef', ['abcxyz'])).toBe(undefined)
  expect(nearest('abcdefghi', ['abcdefxyz'])).toBe('abcdefxyz')
  expect(nearest('a'.repeat(300), ['a'.repeat(299)])).toBe('a'.repeat(299))
  expect(nearest('a'.repeat(301), ['a'.repeat(300)])).toBe(undefined)
})

it('suggests for a short word only what begins alike or differs in less than half of it', () => {
  expect(nearest('fast', ['real', 'scaled', 'manual', 'auto', 'host'])).toBe(undefined)
  expect(nearest('taks', ['task'])).toBe('task')
  expect(nearest('uto', ['auto'])).toBe('auto')
  expect(nearest('by', ['id', 'to'])).toBe(undefined)
})

it.each([
  ['', '', 0],
  ['kite', 'kite', 0],
  ['kite', 'kites', 1],
  ['kite', 'bite', 1],
  ['kite', 'ite', 1],
  ['kitten', 'sitting', 3],
])('is the number of edits from %j to %j: %i', (one, other, distance) => {
  expect(editDistance(one, other, 10)).toBe(distance)
  expect(editDistance(other, one, 10)).toBe(distance)
})

it('is the limit for words whose lengths differ by it', () => {
  expect([editDistance('a', 'abcd', 3), editDistance('a', 'abcd', 4)]).toEqual([3, 3])
  expect(editDistance('xyz', 'xyzabcdef', 2)).toBe(2)
})

it.each([
  ['a', ['only'], 'must be only'],
  ['poll', ['polls', 'submit', 'polls'], 'must be one of polls, submit. Did you mean "polls"?'],
  [5, ['a', 6, true], 'must be one of a, 6, true.'],
  ['nothing', ['a', 'b'], 'must be one of a, b.'],
])('says what %j must be among %j', (found, words, text) => {
  expect(noneOf(found, words)).toBe(text)
})

it('lists what is known, unless a long list has the word that was meant', () => {
  const known = Array.from({ length: 10 }, (_, index) => `${'abcdefghij'[index]!.repeat(5)}`)
  const list = known.join(', ')
  expect(suggestKnown('xyz', known, 'Known')).toBe(` Known: ${list}`)
  expect(suggestKnown('eeee', known, 'Known')).toBe(` Did you mean "eeeee"? Known: ${list}`)
  expect(suggestKnown('eeee', [...known, 'more'], 'Known')).toBe(' Did you mean "eeeee"?')
  expect(suggestKnown('xyz', [...known, 'more'], 'Known')).toBe(` Known: ${list}, more`)
})
