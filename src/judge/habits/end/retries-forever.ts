import { countRequests, findLoop } from '../endings.ts'
import { ends } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'

export const retriesForever: Habit = {
  name: 'retries-forever',
  severity: 'hung',
  cause: 'end',
  rank: 3,
  detects: (context) => (findLoop(context) === 'repeating' ? countRequests(context) : undefined),
  since: ({ run }) => run.exchanges.at(-1)?.number,
  says: (of) => `The client repeats ${where(of)} forever.`,
  advice: 'Stop after a few attempts and report the last error.',
  expects: ends,
}
