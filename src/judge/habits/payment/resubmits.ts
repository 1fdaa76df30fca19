import { paysOnce } from '../expectations.ts'
import { about, where, type Habit } from '../habit.ts'
import { describeSurplus, firstPaidAgain, hasKnownSurplus } from '../payments.ts'

export const resubmits: Habit = {
  name: 'resubmits',
  severity: 'paid twice',
  cause: 'payment',
  rank: 7,
  detects: (context) => (hasKnownSurplus(context) ? describeSurplus(context) : undefined),
  since: firstPaidAgain,
  says: (of) => `The client pays twice after ${about(of)} (${where(of)}).`,
  advice: 'Once the gateway accepted a request, follow its task or read its text; never submit it again.',
  expects: paysOnce,
}
