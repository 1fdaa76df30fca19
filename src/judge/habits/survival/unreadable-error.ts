import { survives } from '../expectations.ts'
import { about, type Habit } from '../habit.ts'

export const unreadableError: Habit = {
  name: 'unreadable-error',
  severity: 'misbehaved',
  cause: 'survival',
  rank: 3,
  detects: ({ run, schedule }) =>
    run.ended === 'failed' && schedule.parts.length > 0 && /\bundefined\b|\[object Object\]/.test(run.reason)
      ? run.reason
      : undefined,
  since: () => undefined,
  says: (of) => `The client reports an error that says nothing (${about(of)}).`,
  advice:
    'Fields may be missing, such as the reason of a failure, and a refusal has another form: have words for both.',
  expects: survives,
}
