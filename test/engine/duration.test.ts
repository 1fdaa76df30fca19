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
