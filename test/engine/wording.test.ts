import { expect, it } from 'vitest'
import { breakAtWords } from '../../src/engine/wording.ts'

it.each([
  ['a red kite', 10, ['a red kite']],
  ['a red kite', 9, ['a red', 'kite']],
  ['a red kite', 1, ['a', 'red', 'kite']],
  ['', 5, ['']],
])('breaks %j at %i columns into %j', (text, maxLength, lines) => {
  expect(breakAtWords(text, maxLength)).toEqual(lines)
})

it('gives the first line a width of its own', () => {
  expect(breakAtWords('a red kite flies', 4, 8)).toEqual(['a red', 'kite', 'flies'])
})
