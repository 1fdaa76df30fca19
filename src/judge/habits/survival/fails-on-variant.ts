import { survives } from '../expectations.ts'
import { about, type Habit } from '../habit.ts'

export const failsOnVariant: Habit = {
  name: 'fails-on-variant',
  severity: 'gave up',
  cause: 'survival',
  rank: 4,
  isPerFamily: () => true,
  detects: ({ run, expected, schedule }) =>
    run.ended === 'failed' && expected === 'survive' && schedule.variant ? run.reason : undefined,
  says: (of) => `The client fails with a gateway that has ${about(of)}.`,
  advice: ({ variant }) => variant?.advice ?? '',
  expects: survives,
}
