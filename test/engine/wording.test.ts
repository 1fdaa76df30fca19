import { expect, it } from 'vitest'
import { breakAtWords, formatOrdinal, pluralize, quote, truncate } from '../../src/engine/wording.ts'

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

it.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [9, '9th'],
  [10, '10th'],
  [11, '11th'],
  [12, '12th'],
  [13, '13th'],
  [20, '20th'],
  [21, '21st'],
  [101, '101st'],
  [111, '111th'],
  [112, '112th'],
  [122, '122nd'],
])('formats %i as %s', (number, text) => {
  expect(formatOrdinal(number)).toBe(text)
})

it('counts nouns, quotes values and truncates texts', () => {
  expect([0, 1, 2].map((count) => pluralize(count, 'request'))).toEqual([
    '0 requests',
    '1 request',
    '2 requests',
  ])
  expect([undefined, 'a', { a: 1 }].map(quote)).toEqual(['null', '"a"', '{"a":1}'])
  expect(quote('x'.repeat(59))).toBe(`"${'x'.repeat(59)}`)
  expect([truncate('abc', 3), truncate('abcd', 3), truncate('', 0), truncate('a', 0)]).toEqual([
    'abc',
    'abc',
    '',
    '',
  ])
})
