import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseSpec, sampleDuration, type DurationSpec } from '../../src/engine/random/distribution.ts'
import { DurationError } from '../../src/engine/clock/duration.ts'

const lognormal: DurationSpec = { lognormal: { p50: '12s', p95: '24s', min: '4s', max: '30s' } }

it('draws the percentiles it was given', () => {
  expect(sampleDuration(lognormal, 0.5)).toBe(12_000)
  expect(sampleDuration(lognormal, 0.95)).toBe(24_000)
  expect(sampleDuration({ uniform: ['1s', '3s'] }, 0.25)).toBe(1_500)
  expect(sampleDuration({ normal: { mean: '10s', sd: '2s' } }, 0.5)).toBe(10_000)
  expect(sampleDuration({ normal: { mean: '10s', sd: '2s' } }, 0.841344746)).toBeCloseTo(12_000, -1)
})

it('keeps within its bounds', () => {
  expect(sampleDuration(lognormal, 0)).toBe(4_000)
  expect(sampleDuration(lognormal, 1 - 2 ** -53)).toBe(30_000)
  expect(sampleDuration({ normal: { mean: '1s', sd: '10s' } }, 0.001)).toBe(0)
})

it('chooses by weight, and forever may be chosen', () => {
  const choice: DurationSpec = { choice: [{ value: '1s', weight: 3 }, { value: 'forever' }] }
  expect([0, 0.7, 0.75, 0.99].map((draw) => sampleDuration(choice, draw))).toEqual([1_000, 1_000, null, null])
})

it('draws the last possible choice if rounding leaves nothing else', () => {
  const huge = { value: '1s', weight: Number.MAX_VALUE }
  const choice: DurationSpec = { choice: [huge, { ...huge, value: 'forever' }, { value: '9s', weight: 0 }] }
  expect([0, 0.5].map((draw) => sampleDuration(choice, draw))).toEqual([null, null])
})

it('never draws a shorter duration for a larger number', () => {
  const specs: DurationSpec[] = [lognormal, { uniform: ['1s', '9s'] }, { normal: { mean: '5s', sd: '1s' } }]
  const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(
    fc.property(fc.constantFrom(...specs), unit, unit, (spec, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      expect(sampleDuration(spec, low)!).toBeLessThanOrEqual(sampleDuration(spec, high)!)
    }),
  )
})

it('draws the same from a spec whose durations are parsed', () => {
  const specs: DurationSpec[] = [
    lognormal,
    '1m30s',
    'forever',
    { uniform: ['1s', 9_000] },
    { normal: { mean: '5s', sd: '1s', min: '2s' } },
    { choice: [{ value: '1s', weight: 3 }, { value: 'forever' }] },
  ]
  const unit = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
  fc.assert(
    fc.property(fc.constantFrom(...specs), unit, (spec, draw) => {
      expect(sampleDuration(parseSpec(spec), draw)).toBe(sampleDuration(spec, draw))
    }),
  )
  expect(parseSpec({ uniform: ['1s', '1m'] })).toEqual({ uniform: [1_000, 60_000] })
})

it('refuses a distribution that contradicts itself', () => {
  expect(() => sampleDuration({ uniform: ['3s', '1s'] }, 0.5)).toThrow(DurationError)
  expect(() => sampleDuration({ lognormal: { p50: '3s', p95: '1s' } }, 0.5)).toThrow(DurationError)
  expect(() => sampleDuration({ choice: [] }, 0.5)).toThrow(DurationError)
})

it('is as far above the mean as below it for opposite numbers', () => {
  const normal: DurationSpec = { normal: { mean: '100s', sd: '10s' } }
  for (const draw of [0.2, 0.05, 0.02, 0.01, 0.001]) {
    const [low, high] = [sampleDuration(normal, draw)!, sampleDuration(normal, 1 - draw)!]
    expect(Math.abs(low + high - 200_000)).toBeLessThanOrEqual(1)
  }
  expect(sampleDuration(normal, 0.99)).toBe(123_263)
})
