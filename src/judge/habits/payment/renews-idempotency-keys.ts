import { paysOnce } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeSurplus, firstPaidAgain, hasKnownSurplus } from '../payments.ts'

export const renewsIdempotencyKeys: Habit = {
  name: 'renews-idempotency-keys',
  severity: 'paid twice',
  cause: 'payment',
  rank: 3,
  detects: (context) =>
    hasKnownSurplus(context) && context.injections.some(({ config }) => config?.idempotencyKeys)
      ? describeSurplus(context)
      : undefined,
  since: firstPaidAgain,
  says: (of) =>
    `The client makes a new idempotency key for each attempt, which protects from nothing (${where(of)}).`,
  advice: 'Make one key for each submission, and send it with every attempt.',
  expects: paysOnce,
}
