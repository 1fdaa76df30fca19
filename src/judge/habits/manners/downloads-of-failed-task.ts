import type { JournalEntry } from '../../../gateway/journal.ts'
import type { ClientRun } from '../../runs/client-run.ts'
import { endOfPlace } from '../expectations.ts'
import type { Habit } from '../habit.ts'

/** The first download of a task that failed. */
function findVain({ verdict, operations, exchanges }: ClientRun): JournalEntry | undefined {
  const failed = new Set(
    verdict.tasks
      .filter(({ status, kind }) => status === operations.lifecycleOf(kind)?.roles.failure)
      .map(({ id }) => id),
  )
  return exchanges.find(
    (entry) => failed.has(entry.task ?? '') && entry.role === 'download' && entry.status >= 400,
  )
}

export const downloadsOfFailedTask: Habit = {
  name: 'downloads-of-failed-task',
  severity: 'misbehaved',
  rank: 10,
  isOverall: true,
  detects: ({ run }) => {
    const vain = findVain(run)
    return vain && `#${vain.number} requests the content of a task that failed`
  },
  since: ({ run }) => findVain(run)?.number,
  says: () => 'The client requests the content of a task that failed.',
  advice: 'Read the status of the task: after a failure there is nothing to download.',
  expects: (place) => ({
    requests: [{ role: 'download', status: '4xx', count: 0 }],
    ...endOfPlace(place),
    allow: place.allow,
  }),
}
