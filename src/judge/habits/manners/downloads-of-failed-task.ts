import { endOfPlace } from '../expectations.ts'
import type { Habit } from '../habit.ts'

export const downloadsOfFailedTask: Habit = {
  name: 'downloads-of-failed-task',
  severity: 'misbehaved',
  rank: 10,
  isOverall: true,
  detects: ({ run }) => {
    const failed = new Set(
      run.verdict.tasks
        .filter(({ status, channel }) => status === run.operations.lifecycleOf(channel)?.roles.failure)
        .map(({ id }) => id),
    )
    const vain = run.exchanges.find(
      (entry) => failed.has(entry.task ?? '') && entry.role === 'download' && entry.status >= 400,
    )
    return vain && `#${vain.number} requests the content of a task that failed`
  },
  says: () => 'The client requests the content of a task that failed.',
  advice: 'Read the status of the task: after a failure there is nothing to download.',
  expects: (place) => ({
    requests: [{ role: 'download', status: '4xx', count: 0 }],
    ...endOfPlace(place),
    allow: place.allow,
  }),
}
