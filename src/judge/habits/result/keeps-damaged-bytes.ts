import { hasFileOrReports } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'
import { findDamaged } from '../results.ts'

export const keepsDamagedBytes: Habit = {
  name: 'keeps-damaged-bytes',
  severity: 'wrong result',
  cause: 'result',
  rank: 4,
  isPerOperation: true,
  isAboutFile: true,
  isProvenBy: (path) => !path.startsWith('tasks'),
  detects: (context) => findDamaged(context)?.actual,
  says: (of) => `The client keeps a damaged download (${where(of)}).`,
  advice:
    'Check that the bytes are a video or image, and compare them with the length. Download again what differs.',
  howTo: {
    python: 'In Python: compare len(response.content) with response.headers["Content-Length"].',
  },
  expects: hasFileOrReports,
}
