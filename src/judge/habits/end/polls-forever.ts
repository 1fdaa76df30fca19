import { countRequests, findLoop } from '../endings.ts'
import { ends } from '../expectations.ts'
import type { Habit } from '../habit.ts'

export const pollsForever: Habit = {
  name: 'polls-forever',
  severity: 'hung',
  cause: 'end',
  rank: 2,
  detects: (context) => (findLoop(context) === 'polling' ? countRequests(context) : undefined),
  since: ({ run }) => run.exchanges.at(-1)?.number,
  says: () => 'The client polls a task forever.',
  advice: 'Give each task a deadline, such as ten minutes, and report that it was reached.',
  howTo: {
    python: 'In Python: asyncio.timeout(600), or a deadline of time.monotonic() + 600.',
    javascript: 'In JavaScript: AbortSignal.timeout(600_000).',
  },
  expects: ends,
}
