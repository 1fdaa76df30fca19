import { paysOnce } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeSurplus, firstPaidAgain, surplusAfterCrash } from '../payments.ts'

export const resubmitsAfterCrash: Habit = {
  name: 'resubmits-after-crash',
  severity: 'paid twice',
  cause: 'payment',
  rank: 2,
  detects: (context) => (surplusAfterCrash(context) === 'by itself' ? describeSurplus(context) : undefined),
  since: firstPaidAgain,
  says: (of) => `The client submits again after a crash (${where(of)}).`,
  advice: 'Store the ID of a task at once, before anything else, and follow it after a restart.',
  expects: paysOnce,
}
