import { endsByTimeout } from '../../runs/injection.ts'
import { paysOnce } from '../expectations.ts'
import type { Habit } from '../habit.ts'
import { describeSurplus, hasKnownSurplus } from '../payments.ts'

export const resubmitsAfterTimeOut: Habit = {
  name: 'resubmits-after-time-out',
  severity: 'paid twice',
  cause: 'payment',
  rank: 4,
  detects: (context) =>
    hasKnownSurplus(context) && context.injections.some(endsByTimeout) ? describeSurplus(context) : undefined,
  says: () => 'The client submits again after a time-out, although the first task may exist.',
  advice: 'Report a submission that timed out. Only what the gateway refused is safe to submit again.',
  expects: paysOnce,
}
