import { endsByTimeout } from '../../runs/injection.ts'
import { paysOnce } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { describeSurplus, firstPaidAgain, hasKnownSurplus } from '../payments.ts'

export const resubmitsAfterTimeOut: Habit = {
  name: 'resubmits-after-time-out',
  severity: 'paid twice',
  cause: 'payment',
  rank: 6,
  detects: (context) =>
    hasKnownSurplus(context) && context.injections.some(endsByTimeout) ? describeSurplus(context) : undefined,
  since: firstPaidAgain,
  says: (of) =>
    `The client submits again after a time-out (${where(of)}), although the first task may exist.`,
  advice: ({ parts }) =>
    parts.some(({ place }) => place.kind === 'submit')
      ? 'Report a submission that timed out. Only what the gateway refused is safe to submit again.'
      : 'Repeat only the request that timed out: the task was accepted, and goes on.',
  expects: paysOnce,
}
