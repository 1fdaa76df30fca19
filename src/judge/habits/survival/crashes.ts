import { survives } from '../expectations.ts'
import { about, where, type Habit } from '../habit.ts'

export const crashes: Habit = {
  name: 'crashes',
  severity: 'gave up',
  cause: 'survival',
  rank: 2,
  isPerOperation: true,
  detects: ({ run }) => (run.ended === 'failed' && run.hasCrashed ? run.reason : undefined),
  says: (of) => `The client crashes after ${about(of)} (${where(of)}).`,
  advice: 'Check what arrived before reading it, and report in words what was wrong with it.',
  expects: (place) => (place.mayFail ? undefined : survives(place)),
}
