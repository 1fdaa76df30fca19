import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  checkDuration,
  isFixed,
  parseSpec,
  sampleDuration,
  type DurationSpec,
} from '../../src/engine/random/distribution.ts'
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

it.each<[DurationSpec, string]>([
  [{ uniform: ['3s', '1s'] }, 'uniform needs its smaller bound first: write [1s, 3s]'],
  [{ lognormal: { p50: '3s', p95: '1s' } }, 'lognormal needs 0 < p50 <= p95: write { p50: 1s, p95: 3s }'],
  [{ lognormal: { p50: '3s', p95: 0 } }, 'lognormal needs 0 < p50 <= p95: write a p50 of at least 1ms'],
  [{ lognormal: { p50: 0, p95: '1s' } }, 'lognormal needs 0 < p50 <= p95: write a p50 of at least 1ms'],
  [
    { choice: [{ value: '1s', weight: 0 }] },
    'choice needs a value with a weight above 0: write weight: 1, or leave it out',
  ],
])('says how to write the distribution %j', (spec, message) => {
  for (const read of [parseSpec, checkDuration, (each: DurationSpec) => sampleDuration(each, 0.5)])
    expect(() => read(spec)).toThrow(new DurationError(message))
})

it('draws the limits of its distributions, and of equal figures the only value', () => {
  expect([0, 1].map((draw) => sampleDuration({ uniform: ['1s', '3s'] }, draw))).toEqual([1_000, 3_000])
  expect(sampleDuration({ uniform: ['1s', '1s'] }, 0.7)).toBe(1_000)
  expect(sampleDuration({ lognormal: { p50: '1s', p95: '1s' } }, 0.7)).toBe(1_000)
  expect(sampleDuration({ normal: { mean: '5s', sd: 0 } }, 0.7)).toBe(5_000)
  expect(sampleDuration({ normal: { mean: '5s', sd: '9s', max: '6s' } }, 0.9)).toBe(6_000)
  expect(sampleDuration({ normal: { mean: '5s', sd: '9s', min: '4s' } }, 0.1)).toBe(4_000)
})

it('draws each part of the normal distribution as it always did', () => {
  const normal: DurationSpec = { normal: { mean: '100000s', sd: '10000s' } }
  const draws = [0, 1e-6, 0.02, 0.02425, 0.03, 0.25, 0.6, 0.97, 0.97575, 0.98, 0.999999]
  expect(draws.map((draw) => sampleDuration(normal, draw))).toEqual([
    40_021_930, 52_465_757, 79_462_511, 80_270_390, 81_192_064, 93_255_102, 102_533_471, 118_807_936,
    119_729_610, 120_537_489, 147_534_243,
  ])
})

it('knows which durations are constant', () => {
  expect(['1s', 5, 'forever'].map((spec) => isFixed(spec))).toEqual([true, true, true])
  expect(isFixed({ uniform: ['1s', '2s'] })).toBe(false)
  expect(parseSpec({ choice: [{ value: 'forever', weight: 2 }, { value: '1s' }] })).toEqual({
    choice: [{ value: 'forever', weight: 2 }, { value: 1_000 }],
  })
  expect(parseSpec(lognormal)).toEqual({ lognormal: { p50: 12_000, p95: 24_000, min: 4_000, max: 30_000 } })
})
