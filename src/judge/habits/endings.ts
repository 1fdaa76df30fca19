import { findInvariant } from '../invariants/invariants.ts'
import type { RunContext } from '../runs/run-context.ts'
import { brokenInvariants } from './invariant-habit.ts'

/** Whether the client was stopped, and no invariant against endless loops says why. */
const wasStopped = ({ run }: RunContext): boolean =>
  (run.ended === 'hung' || run.ended === 'endless') &&
  !brokenInvariants(run).some((name) => findInvariant(name)?.severity === 'hung')

/** Whether it was exchanging requests and responses until a limit of real time ended its run. */
const wasSending = ({ run: { exchanges }, baselineRun }: RunContext): boolean =>
  exchanges.length > 2 * baselineRun.exchanges.length + 10 && exchanges.at(-1)!.status > 0

/** What a client that had to be stopped was doing; undefined if it may have a deadline that could not pass. */
export function findLoop(context: RunContext): 'waiting' | 'polling' | 'repeating' | undefined {
  if (!wasStopped(context)) return undefined
  const { run } = context
  if (run.ended === 'hung' && !wasSending(context)) return 'waiting'
  if (run.mayEndLater) return undefined
  const polls = run.exchanges.filter((entry) => entry.role === 'poll')
  return polls.length * 2 > run.exchanges.length && polls.at(-1)!.status < 400 ? 'polling' : 'repeating'
}

export const countRequests = ({ run, baselineRun }: RunContext): string =>
  `${run.exchanges.length} requests, ${baselineRun.exchanges.length} in the baseline run`
