import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatDuration, maxDurationMs } from '../../../src/engine/clock/duration.ts'
import { sampleDuration, type DurationSpec } from '../../../src/engine/random/distribution.ts'
import { firstMistake } from '../../../src/scenario/schema/mistakes.ts'
import { durationSpec } from '../../../src/scenario/schema/values.ts'

it.each([
  [{ lognormal: { p50: '24s', p95: '12s' } }, 'lognormal', '0 < p50 <= p95', '{ p50: 12s, p95: 24s }'],
  [{ lognormal: { p50: '0s', p95: '12s' } }, 'lognormal', '0 < p50 <= p95', 'p50 of at least 1ms'],
  [{ uniform: ['3s', '1s'] }, 'uniform', 'smaller bound first', '[1s, 3s]'],
  [{ choice: [{ value: '1s', weight: 0 }] }, 'choice', 'weight above 0', ''],
])('refuses %j with what to write', (spec, key, rule, advice) => {
  const mistake = firstMistake(durationSpec, spec)
  expect(mistake).toMatch(new RegExp(`^${key} is `))
  expect(mistake).toContain(rule)
  expect(mistake).toContain(advice)
})

const length = fc.oneof(
  fc.constantFrom<string | number>('0s', '1ms', '12s', '24s', '36500d', 0, 'forever'),
  fc.integer({ min: 0, max: maxDurationMs }),
  fc.integer({ min: 0, max: 100_000 }).map(formatDuration),
)
const bounds = { min: fc.option(length, { nil: undefined }), max: fc.option(length, { nil: undefined }) }
const weight = fc.option(fc.oneof(fc.double({ min: 0, noNaN: true }), fc.constantFrom(0, 1)), {
  nil: undefined,
})
const anySpec = fc.oneof(
  length,
  fc.record({ uniform: fc.tuple(length, length) }),
  fc.record({ normal: fc.record({ mean: length, sd: length, ...bounds }) }),
  fc.record({ lognormal: fc.record({ p50: length, p95: length, ...bounds }) }),
  fc.record({ choice: fc.array(fc.record({ value: length, weight }), { maxLength: 4 }) }),
) as fc.Arbitrary<DurationSpec>

it('accepts only what can be sampled for every draw', () => {
  const draws = fc.oneof(
    fc.constantFrom(0, 0.5, 1 - Number.EPSILON / 2),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  )
  fc.assert(
    fc.property(anySpec, draws, (spec, draw) => {
      fc.pre(durationSpec.safeParse(spec).success)
      const drawnMs = sampleDuration(spec, draw) ?? 0
      expect(Number.isSafeInteger(drawnMs) && drawnMs >= 0 && drawnMs <= maxDurationMs, String(drawnMs)).toBe(
        true,
      )
    }),
    { numRuns: 500 },
  )
})
