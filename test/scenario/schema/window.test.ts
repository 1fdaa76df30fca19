import { expect, it } from 'vitest'
import { DurationError } from '../../../src/engine/clock/duration.ts'
import { parseWindow } from '../../../src/scenario/schema/window.ts'

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
