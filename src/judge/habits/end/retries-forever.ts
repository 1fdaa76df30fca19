import { countRequests, findLoop } from '../endings.ts'
import { ends } from '../expectations.ts'
import { where, type Habit } from '../habit.ts'

/** Whether a response with this status stays the same, so that no attempt helps. */
const isFinal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 429

export const retriesForever: Habit = {
  name: 'retries-forever',
  severity: 'hung',
  cause: 'end',
  rank: 3,
  detects: (context) => (findLoop(context) === 'repeating' ? countRequests(context) : undefined),
  since: ({ run }) => run.exchanges.at(-1)?.number,
  says: (of) => `The client repeats ${where(of)} forever.`,
  advice: ({ parts }) =>
    parts.some(({ injection, place }) => isFinal(injection.effect(place).respond?.status))
      ? 'Report 400, 401, 403 and 404 at once: they stay the same. Only an expired link of a result is worth another poll.'
      : 'Stop after a few attempts and report the last error.',
  expects: ends,
}
