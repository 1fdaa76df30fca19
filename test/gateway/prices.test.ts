import fc from 'fast-check'
import { expect, it } from 'vitest'
import { quotaOf, quotaPerDollar } from '../../src/gateway/accounts/prices.ts'

it('rounds up, but for less than half a millionth of a unit', () => {
  const price = fc.constantFrom(0.01, 0.08, 0.5, 2, 1 / 3, 1e-6, 1_000)
  fc.assert(
    fc.property(
      price,
      fc.nat(100_000),
      fc.constantFrom(1, 0.9, 0.1, 2 / 3),
      (perSecond, seconds, discount) => {
        const quota = quotaOf({ models: '*', perSecond }, { task: true, seconds }, discount)
        expect(quota).toBe(Math.ceil(Number((perSecond * seconds * discount * quotaPerDollar).toFixed(6))))
      },
    ),
    { numRuns: 1_000 },
  )
})
