import type { JournalEntry } from '../../gateway/journal.ts'
import { isDelivered, isHarmless, isSettled } from '../answers.ts'
import { Findings, type InvariantDefinition, type Violation } from '../invariant.ts'
import { Memory } from '../memory.ts'
import type { WatchedTask } from '../watched-tasks.ts'

/** Why the same was submitted again. Only the last is nobody's fault: the client can't know that its task exists. */
type Cause = 'accepted' | 'poll lost' | 'abandoned' | 'response lost'

/** A task that was left behind when the same was submitted again. */
interface LeftBehind {
  readonly task: WatchedTask
  readonly uses: number
  readonly by: WatchedTask
  readonly cause: Cause
}

/** More submissions of one request than this are not paired with their retries. */
const maxUnanswered = 100

/**
 * Wanting the same twice is fine, at once or later: then both are asked about. What isn't is to submit anew because a poll
 * was lost, because the response took long, or although it had come, and to ask only about the new task from then on.
 */
export const noDuplicateSubmit: InvariantDefinition = {
  name: 'no-duplicate-submit',
  means: 'What was accepted is not submitted again in place of asking about it: each task costs.',
  needs: 'submission was accepted',
  watch: (run) => {
    const findings = new Findings()
    const latest = new Memory<WatchedTask>()
    const leftBehind = new Memory<LeftBehind>()
    /** Tasks whose submissions ended without a response that the client could read, by request and key. */
    const unanswered = new Memory<WatchedTask[]>()
    /** The latest submission of a request that is still waiting for its response. */
    const waiting = new Memory<WatchedTask>()
    /** By task: the same, submitted again before the first had its response. */
    const overlapping = new Memory<WatchedTask>()

    const leaveBehind = (task: WatchedTask, by: WatchedTask, cause: Cause): void => {
      leftBehind.set(task.id, { task, uses: task.uses, by, cause })
    }

    const leaveUnanswered = (task: WatchedTask, by: WatchedTask): void => {
      leaveBehind(task, by, isAbortedByClient(task.submission!) ? 'abandoned' : 'response lost')
    }

    const left = (): LeftBehind[] => [...leftBehind.values()].filter(isAbandoned(run.listedAt))

    return {
      admitted: (entry, task) => {
        if (!task || task.submission !== entry) return
        const request = requestOf(entry)
        const first = unanswered.get(request)?.shift()
        const stillWaiting = waiting.get(request)
        if (first) leaveUnanswered(first, task)
        else if (stillWaiting) overlapping.set(stillWaiting.id, task)
        waiting.set(request, task)
        const before = latest.get(entry.identity)
        latest.set(entry.identity, task)
        if (!before || !isDelivered(before.submission!)) return
        const wasLost = isLost(before.lastLook)
        if (!wasLost && before.uses > 0) return
        leaveBehind(before, task, wasLost ? 'poll lost' : 'accepted')
      },
      settled: (entry, task) => {
        if (task?.submission !== entry) return
        const request = requestOf(entry)
        if (waiting.get(request) === task) waiting.delete(request)
        const by = overlapping.get(task.id)
        overlapping.delete(task.id)
        if (isDelivered(entry)) {
          findings.exercised++
          return
        }
        if (by && isRetryOfAborted(entry, by.submission!)) {
          leaveUnanswered(task, by)
          return
        }
        const known = unanswered.get(request) ?? []
        if (known.length < maxUnanswered) known.push(task)
        unanswered.set(request, known)
      },
      findings: () => {
        const all = left()
        const certain = all.filter(({ cause }) => cause !== 'response lost')
        const doubtful = all.filter(({ cause }) => cause === 'response lost')
        return findings.with(certain.map(violationOf), doubtful.map(violationOf))
      },
    }
  },
}

/** The same request by the same user. */
const requestOf = ({ keyHash, identity }: JournalEntry): string => `${keyHash} ${identity}`

/** Whether the client stopped waiting for a response that was on its way. */
function isAbortedByClient({ outcome, fault }: JournalEntry): boolean {
  return outcome === 'aborted' && (fault === null || isHarmless(fault))
}

/** A server often sees the retry before it sees the close of the first connection. */
const maxCloseDelayMs = 250

/** Requests that one signal aborts end closer together than a request and its retry. */
const maxTogetherMs = 10

/** Whether a submission was aborted just when the same was submitted again, so that the second is its retry. */
function isRetryOfAborted(first: JournalEntry, again: JournalEntry): boolean {
  if (!isAbortedByClient(first)) return false
  const wallMs = again.wallAt - first.wallAt
  // On a scaled clock, real milliseconds are longer.
  const rate = first.timing === 'wall' && wallMs > 0 ? Math.max(1, (again.at - first.at) / wallMs) : 1
  const endedAt = first.settledAt ?? first.at
  const bothEnded =
    again.outcome === 'aborted' && Math.abs((again.settledAt ?? 0) - endedAt) <= maxTogetherMs * rate
  return !bothEnded && endedAt - again.at <= maxCloseDelayMs * rate
}

function isLost(look: JournalEntry | undefined): boolean {
  return look !== undefined && isSettled(look) && !(look.status < 400 && isDelivered(look))
}

/**
 * Whether nobody came back to it. A list may have shown both. Where the client had the task's id, it counts only if the
 * client asked about the other one instead.
 */
function isAbandoned(listedAt: number): (left: LeftBehind) => boolean {
  return ({ task, uses, by, cause }) => {
    const hadId = cause === 'accepted' || cause === 'poll lost'
    return task.uses === uses && (!hadId || by.uses > 0) && listedAt < by.submission!.number
  }
}

function violationOf({ task, by, cause }: LeftBehind): Violation {
  const first = task.submission!.number
  const requests = [first, by.submission!.number]
  switch (cause) {
    case 'abandoned':
      return {
        requests,
        message:
          `The client stopped waiting for #${first} and submitted the same again, though #${first} had made task ` +
          `${task.id}: ${by.id} is a second charge. Wait longer for the response to a submission.`,
      }
    case 'response lost':
      return {
        requests,
        message:
          `The response to #${first} was lost, and the same was submitted again: tasks ${task.id} and ${by.id} are ` +
          'both charged.',
      }
    case 'accepted':
    case 'poll lost': {
      const why = cause === 'poll lost' ? 'after a poll was lost' : 'though it had been accepted'
      return {
        requests,
        message: `The same was submitted again ${why}: task ${task.id} was left behind for ${by.id}.`,
      }
    }
  }
}
