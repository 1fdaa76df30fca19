import { paysOnce } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeSurplus, firstPaidAgain, surplusAfterCrash } from '../payments.ts'

export const resubmitsUnlisted: Habit = {
  name: 'resubmits-unlisted',
  severity: 'paid twice',
  cause: 'payment',
  rank: 1,
  isPerOperation: true,
  detects: (context) => (surplusAfterCrash(context) === 'by a list' ? describeSurplus(context) : undefined),
  since: firstPaidAgain,
  says: (of) =>
    `The client submits again after a crash, although the gateway lists its tasks (${where(of)}).`,
  advice:
    'Store that you are about to submit. After a restart, list the tasks, and submit only what is not there.',
  expects: paysOnce,
}
