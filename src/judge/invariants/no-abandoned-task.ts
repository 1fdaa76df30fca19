import type { OperationTable } from '../../engine/operations/operation-table.ts'
import { Findings } from '../../apis/define/invariant.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import { isDelivered } from '../exchanges.ts'
import type { Fate, GeneralInvariant } from './invariant.ts'

/**
 * Not violated by a client that ends with an error, since it has reported the problem. A client that never got the response
 * to its submission doesn't know the task. One that leaves a dialog open has declined it. One that gives up a task that no poll
 * ever shows as ended is right to do so, after a fair time.
 */
export const noAbandonedTask: GeneralInvariant = {
  name: 'no-abandoned-task',
  means: 'A client follows each task that is paid for to its end, or cancels it, before it ends.',
  advice: 'Follow each task to its end or cancel it. If you must leave one, end with an error that names it.',
  needs: 'task was paid for',
  atEnd: {
    allow: 'abandonedTasks',
    expected: 'the client follows each task that is paid for to its end',
  },
  severity: 'gave up',
  watch: (context) => {
    const { tasks, end, operations } = context
    return {
      findings: () => {
        const { fates } = context
        const findings = new Findings()
        const known = tasks.all().filter((task) => isKnownToClient(task, operations))
        findings.exercised = known.length
        if (end() === 'failed') return findings
        return findings.with(
          known
            .filter((task) => !task.isSettled && !task.wasListed && !wasHopeless(task, fates))
            .map(({ id, submission, lastPoll }) => ({
              requests: [submission!.number, ...(lastPoll ? [lastPoll.number] : [])],
              message: `The client left task ${id} before it knew that the task had ended.`,
            })),
        )
      },
    }
  },
}

/** Whether it costs something, and the client has its id. */
function isKnownToClient({ submission, isDeclined }: WatchedTask, operations: OperationTable): boolean {
  if (submission === undefined || isDeclined || !isDelivered(submission)) return false
  return submission.quota > 0 || operations.find(submission.operation)?.hasUnknownPrice === true
}

/** A client that follows a task for this long, or for three times the longest task of the run, has followed it long enough. */
const fairMs = 120_000
const fairTimes = 3
/** Deadlines of clients and their intervals don't meet exactly. */
const toleranceShare = 0.1

/** Whether the client could only give up: it polled for a fair time, and no poll would ever report an end. */
function wasHopeless(
  { id, lastPoll, polledSince, pollGapMs }: WatchedTask,
  fates: ReadonlyMap<string, Fate>,
): boolean {
  const fate = fates.get(id)
  if (!lastPoll || !fate) return false
  // The task has ended, but the client's last poll came before that.
  if (fate.tookMs !== undefined && !lastPoll.final) return false
  const tookMs = [...fates.values()].flatMap((each) => each.tookMs ?? [])
  const enoughMs = Math.min(fairMs, fairTimes * (tookMs.length > 0 ? Math.max(...tookMs) : Infinity))
  const followedMs = lastPoll.at - polledSince + pollGapMs
  return followedMs >= enoughMs * (1 - toleranceShare)
}
