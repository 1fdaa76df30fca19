import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DurationError, formatDuration, parseDuration } from '../../src/engine/clock/duration.ts'

it.each([
  ['250ms', 250],
  ['5s', 5_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['2d', 172_800_000],
  [' 7s ', 7_000],
  [1234, 1234],
])('reads %j as %i milliseconds', (text, expected) => {
  expect(parseDuration(text)).toBe(expected)
})

it.each(['', '5', 's', '-5s', '5 s', 'five', '1s2', '9999999999d', 'Infinity', -1, NaN, Infinity])(
  'refuses %j and says what a duration looks like',
  (text) => {
    expect(() => parseDuration(text)).toThrow(DurationError)
  },
)

it('writes durations as it reads them', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (durationMs) => {
      expect(parseDuration(formatDuration(durationMs))).toBe(durationMs)
    }),
  )
})

it.each([
  [0.3, '0s'],
  [-5_000, '-5s'],
  [Infinity, 'forever'],
])('writes %d milliseconds as %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text)
})

it('takes durations up to a hundred years', () => {
  const longestMs = 100 * 365 * 86_400_000
  expect([parseDuration(longestMs), parseDuration('36500d')]).toEqual([longestMs, longestMs])
  expect(() => parseDuration(longestMs + 1)).toThrow(`give milliseconds from 0 to ${longestMs}`)
  expect(() => parseDuration('36500d1ms')).toThrow(
    '"36500d1ms" is longer than a hundred years: give a shorter duration',
  )
})

it('quotes forty characters of what it refuses', () => {
  expect(() => parseDuration('x'.repeat(40))).toThrow(`"${'x'.repeat(40)}" is not a duration: write it as`)
  expect(() => parseDuration('x'.repeat(41))).toThrow(`"${'x'.repeat(40)}…" is not a duration: write it as`)
})

it('says what it takes where it gets neither a text nor a number', () => {
  expect(() => parseDuration(true as unknown as string)).toThrow(
    'true is not a duration: write it as "500ms", "5s", "1m30s" or "2h", or give milliseconds',
  )
})

it('reads parts of a unit', () => {
  expect(['1.5s', '0.25m', '1.5h30.5s'].map(parseDuration)).toEqual([1_500, 15_000, 5_430_500])
})
