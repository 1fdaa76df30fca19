import { hasFileOrReports } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { findSkipped } from '../results.ts'

export const skipsDownload: Habit = {
  name: 'skips-download',
  severity: 'wrong result',
  cause: 'result',
  rank: 3,
  isPerOperation: true,
  isAboutFile: true,
  isProvenBy: (path) => !path.startsWith('tasks'),
  detects: (context) => findSkipped(context)?.actual,
  says: (of) => `The client succeeds, but never downloads what its task made (${where(of)}).`,
  advice: 'Download the result of every task that succeeded, or report why you could not.',
  expects: hasFileOrReports,
}
