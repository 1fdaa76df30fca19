import type { Habit } from '../habit.ts'

export const failsByItself: Habit = {
  name: 'fails-by-itself',
  severity: ({ run }) => (run.ended === 'failed' ? 'gave up' : 'hung'),
  rank: 1,
  seenIn: 'baseline',
  isOverall: true,
  detects: ({ run }) => (run.ended === 'succeeded' ? undefined : run.reason),
  says: () => 'The client fails in the baseline run, in which nothing goes wrong.',
  advice: 'Let it succeed first; then explore again.',
  expects: () => undefined,
}
