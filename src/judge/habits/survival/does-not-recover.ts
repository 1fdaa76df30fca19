import { survives } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'

export const doesNotRecover: Habit = {
  name: 'does-not-recover',
  severity: 'gave up',
  cause: 'survival',
  rank: 5,
  isPerOperation: true,
  detects: ({ run, expected, injections }) =>
    run.ended === 'failed' && expected === 'survive' && injections.some(({ crash }) => crash)
      ? run.reason
      : undefined,
  says: (of) => `The client does not go on after a crash (${where(of)}).`,
  advice: 'Store each step before the next one, so that the next process can go on from there.',
  expects: survives,
}
