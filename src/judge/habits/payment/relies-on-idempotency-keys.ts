import { paysOnce } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeSurplus, firstPaidAgain, hasKnownSurplus, sharesKeys } from '../payments.ts'

export const reliesOnIdempotencyKeys: Habit = {
  name: 'relies-on-idempotency-keys',
  severity: 'paid twice',
  cause: 'payment',
  rank: 4,
  detects: (context) =>
    hasKnownSurplus(context) && sharesKeys(context.run) ? describeSurplus(context) : undefined,
  since: firstPaidAgain,
  says: (of) =>
    `The client submits again with the same idempotency key (${where(of)}): safe only with a gateway that honours the key.`,
  advice:
    'If your gateway honours it, set idempotencyKeys in the config. Otherwise report a submission that may have been accepted.',
  expects: paysOnce,
}
