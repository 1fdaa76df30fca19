import { survives } from '../expectations.ts'
import type { Habit } from '../habit.ts'

export const hidesTheReason: Habit = {
  name: 'hides-the-reason',
  severity: 'misbehaved',
  cause: 'survival',
  rank: 1,
  detects: ({ run, injections }) => {
    if (run.ended !== 'failed') return undefined
    const wasGivenReason = run.exchanges.some(({ final, hidesReason }) => final && !hidesReason)
    const isHidden = injections.some(({ reason }) => reason !== undefined && !run.output.includes(reason))
    return wasGivenReason && isHidden ? run.reason : undefined
  },
  since: () => undefined,
  says: () => 'The client reports that a task failed, but not why.',
  advice: 'Pass the reason of the gateway on to the caller, who can change the prompt.',
  expects: survives,
}
