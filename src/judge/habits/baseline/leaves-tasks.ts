import { noAbandonedTask } from '../../invariants/no-abandoned-task.ts'
import type { Habit } from '../habit.ts'

/** Reported once, and easy to allow: where an API has no cancellation, a client may stop polling a task on purpose. */
export const leavesTasks: Habit = {
  name: 'leaves-tasks',
  severity: 'misbehaved',
  rank: 3,
  seenIn: 'baseline',
  isOverall: true,
  detects: ({ run }) =>
    run.ended === 'succeeded'
      ? run.verdict.invariants.find(({ name }) => name === noAbandonedTask.name)?.first?.message
      : undefined,
  isProvenBy: (path) => path.startsWith('always'),
  says: () =>
    'The client succeeds without knowing how a task that is paid for ends, although nothing goes wrong.',
  advice:
    'Follow the task to its end. If the client cancels it on purpose, explore a scenario with "expect: { allow: { abandonedTasks: true } }".',
  expects: ({ allow }) => ({ always: [noAbandonedTask.name], allow }),
}
