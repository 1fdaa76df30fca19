import { dollarsOf } from '../../gateway/accounts/prices.ts'
import { formatDollars } from '../ranges.ts'
import type { PlacedCheck, RunState } from './check.ts'
import { hasEnded, hasSucceeded } from './tasks.ts'

/** What a run cost, in dollars: a task that failed gave its price back, one that has not ended counts. */
export function findSpent({ watch, tasks }: Pick<RunState, 'watch' | 'tasks'>): number {
  const refunds = tasks
    .filter((task) => hasEnded(task) && !hasSucceeded(task))
    .map(({ id }) => watch.tasks.find(id)?.submission?.quota ?? 0)
  return dollarsOf(refunds.reduce((rest, quota) => rest - quota, watch.quota))
}

/** Judges what the run cost. */
export function spendCheck({ max }: { readonly max: number }): PlacedCheck {
  return {
    path: ['spend'],
    judge: (run) => {
      const spent = findSpent(run)
      return {
        verdict: spent <= max ? 'pass' : 'fail',
        expected: `at most ${formatDollars(max)}`,
        actual: `spent ${formatDollars(spent)}`,
        requests: [],
      }
    },
  }
}
