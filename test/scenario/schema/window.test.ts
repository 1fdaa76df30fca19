import { expect, it } from 'vitest'
import { DurationError } from '../../../src/engine/clock/duration.ts'
import { parseWindow, readRefill } from '../../../src/scenario/schema/window.ts'

it.each([
  ['30s..55s', 30_000, 55_000],
  ['..10s', 0, 10_000],
  ['1m..', 60_000, Infinity],
  ['..', 0, Infinity],
])('reads the window %s', (text, fromMs, untilMs) => {
  expect(parseWindow(text)).toEqual({ fromMs, untilMs })
})

it.each(['10s..10s', '0s..0s', '..0s', '20s..10s'])('refuses the window %s, which is never open', (text) => {
  expect(() => parseWindow(text)).toThrow(DurationError)
  expect(() => parseWindow(text)).toThrow(`"${text}" is not a window`)
})

it.each([
  ['30s-55s', 'write it as 30s..55s, 1m.. or ..10s'],
  ['1s..2s..3s', 'write it as 30s..55s, 1m.. or ..10s'],
  ['20s..10s', 'it ends before it begins'],
])('says what is wrong with the window %s', (text, advice) => {
  expect(() => parseWindow(text)).toThrow(new DurationError(`"${text}" is not a window: ${advice}`))
})

it.each([
  ['1/10s', 1, 10_000],
  ['20 / 1m', 20, 60_000],
  [' 5/s ', 5, 1_000],
  ['999999/h', 999_999, 3_600_000],
])('reads the refill %j', (text, tokens, everyMs) => {
  expect(readRefill(text)).toEqual({ tokens, everyMs })
})

it.each(['0/10s', '1/0s', 'fast', '1', '1/', '/10s', '-1/10s', '1.5/10s', '1000000/s', 'x 1/10s', '1/10s 2'])(
  'refuses the refill %j',
  (text) => {
    expect(() => readRefill(text)).toThrow(new DurationError(`"${text}" is not a refill: write it as 1/10s`))
  },
)
