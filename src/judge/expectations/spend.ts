import { dollarsOf } from '../../gateway/accounts/prices.ts'
import { formatDollars } from '../ranges.ts'
import type { PlacedCheck, RunState } from './check.ts'
import { hasEnded, hasSucceeded } from './tasks.ts'

/** The cost of a run in dollars. A failed task costs nothing; an unfinished one counts. */
export function findSpent({ watch, tasks }: Pick<RunState, 'watch' | 'tasks'>): number {
  const refunds = tasks
    .filter((task) => hasEnded(task) && !hasSucceeded(task))
    .map(({ id }) => watch.tasks.find(id)?.submission?.quota ?? 0)
  return dollarsOf(refunds.reduce((rest, quota) => rest - quota, watch.quota))
}

/** Judges the cost of the run. */
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
