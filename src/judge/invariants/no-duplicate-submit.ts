import { maxTracked, Findings, type Violation } from '../../apis/define/invariant.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isDelivered, isHarmless, isSettled } from '../exchanges.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import type { GeneralInvariant } from './invariant.ts'

/**
 * Why a request was submitted again. Only the last cause is not a mistake, because the client can't know that its task
 * exists.
 */
type Cause = 'accepted' | 'at once' | 'poll lost' | 'response aborted' | 'response lost'

/** A task that the client did not follow: it repeated the submission instead. */
interface AbandonedTask {
  readonly task: WatchedTask
  readonly uses: number
  readonly by: WatchedTask
  readonly cause: Cause
}

/** Further submissions of one request are not paired with their retries. */
const maxUnanswered = 100

/**
 * A client may submit the same request twice and follow both tasks. It must not submit again after a lost poll, a slow
 * response or a received response, and then follow only the new task, nor twice at once and forget one.
 */
export const noDuplicateSubmit: GeneralInvariant = {
  name: 'no-duplicate-submit',
  means: 'A client follows an accepted task instead of submitting it again: each task costs.',
  advice: 'Follow the task that was accepted instead of submitting it again: each task costs.',
  needs: 'submission was accepted',
  severity: 'paid twice',
  needsOwnBodies: true,
  watch: (context) => {
    const findings = new Findings()
    const latest = new BoundedMap<WatchedTask>(maxTracked)
    const abandoned = new BoundedMap<AbandonedTask>(maxTracked)
    /** Tasks whose submissions ended without a response that the client could read, by request and key. */
    const unanswered = new BoundedMap<WatchedTask[]>(maxTracked)
    /** The latest submission of a request that still waits for its response. */
    const waiting = new BoundedMap<WatchedTask>(maxTracked)
    /** By task: the repeated submission that came before the response to the first. */
    const overlapping = new BoundedMap<WatchedTask>(maxTracked)

    /** By the first task: two tasks of submissions at once, of which the first was accepted. */
    const atOnce = new BoundedMap<readonly [WatchedTask, WatchedTask]>(maxTracked)

    const addAbandoned = (task: WatchedTask, by: WatchedTask, cause: Cause): void => {
      abandoned.set(task.id, { task, uses: task.uses, by, cause })
    }

    const addUnanswered = (task: WatchedTask, by: WatchedTask): void => {
      addAbandoned(task, by, isAbortedByClient(task.submission!) ? 'response aborted' : 'response lost')
    }

    return {
      admitted: (entry, task) => {
        if (!task || task.submission !== entry) return
        const request = requestOf(entry)
        const first = unanswered.get(request)?.shift()
        const stillWaiting = waiting.get(request)
        if (first) addUnanswered(first, task)
        else if (stillWaiting) overlapping.set(stillWaiting.id, task)
        waiting.set(request, task)
        const before = latest.get(entry.identity)
        latest.set(entry.identity, task)
        if (!before || !isDelivered(before.submission!)) return
        const wasLost = isLost(before.lastPoll)
        if (!wasLost && before.uses > 0) return
        addAbandoned(before, task, wasLost ? 'poll lost' : 'accepted')
      },
      settled: (entry, task) => {
        // A gateway that honours idempotency keys gave the first task again.
        if (
          task?.submission &&
          entry.role === 'submit' &&
          entry.task === task.id &&
          isDelivered(entry) &&
          task.submission !== entry
        )
          findings.exercised++
        if (task?.submission !== entry) return
        const request = requestOf(entry)
        if (waiting.get(request) === task) waiting.delete(request)
        const by = overlapping.get(task.id)
        overlapping.delete(task.id)
        if (isDelivered(entry)) {
          findings.exercised++
          if (by) atOnce.set(task.id, [task, by])
          return
        }
        if (by && isRetryOfAborted(entry, by.submission!)) {
          addUnanswered(task, by)
          return
        }
        const known = unanswered.get(request) ?? []
        if (known.length < maxUnanswered) known.push(task)
        unanswered.set(request, known)
      },
      findings: () => {
        const all = [...abandoned.values()].filter((each) => isAbandoned(each, context.lastListing))
        for (const pair of atOnce.values()) {
          const [task, by] = pair[0].uses === 0 ? pair : (pair.toReversed() as [WatchedTask, WatchedTask])
          if (isForgotten(task, by, context.lastListing)) all.push({ task, uses: 0, by, cause: 'at once' })
        }
        const certain = all.filter(({ cause }) => cause !== 'response lost')
        const doubtful = all.filter(({ cause }) => cause === 'response lost')
        return findings.with(certain.map(toViolation), doubtful.map(toViolation))
      },
    }
  },
}

/** The same request by the same user. */
const requestOf = ({ keyHash, identity }: JournalEntry): string => `${keyHash} ${identity}`

/** Whether the client gave up waiting for a response that was in progress. */
function isAbortedByClient({ outcome, fault }: JournalEntry): boolean {
  return outcome === 'aborted' && (fault === null || isHarmless(fault))
}

/** A server often sees the retry before the first connection closes. */
const maxCloseDelayMs = 250

/** Requests that one signal aborts end closer together than a request and its retry. */
const maxTogetherMs = 10

/** Whether a submission was aborted at the time of the repeated one, so that the second is its retry. */
function isRetryOfAborted(first: JournalEntry, again: JournalEntry): boolean {
  if (!isAbortedByClient(first)) return false
  const wallMs = again.wallAt - first.wallAt
  // On a scaled clock, a real millisecond is a longer time.
  const rate = first.timing === 'wall' && wallMs > 0 ? Math.max(1, (again.at - first.at) / wallMs) : 1
  const endedAt = first.settledAt ?? first.at
  const bothEnded =
    again.outcome === 'aborted' && Math.abs((again.settledAt ?? 0) - endedAt) <= maxTogetherMs * rate
  return !bothEnded && endedAt - again.at <= maxCloseDelayMs * rate
}

function isLost(poll: JournalEntry | undefined): boolean {
  return poll !== undefined && isSettled(poll) && !(poll.status < 400 && isDelivered(poll))
}

/**
 * Whether the client never used the task again. A listing may have returned both tasks. If the client knew the id of the
 * task, it is abandoned only if the client used the other one.
 */
function isAbandoned({ task, uses, by, cause }: AbandonedTask, lastListing: number): boolean {
  const hadId = cause === 'accepted' || cause === 'poll lost'
  return task.uses === uses && (!hadId || by.uses > 0) && lastListing < by.submission!.number
}

/**
 * Whether of two tasks that were submitted at once, as by a double click, the client followed one to its end, and never used the other.
 * A client that wants both, or the first of two, polls both.
 */
function isForgotten(task: WatchedTask, by: WatchedTask, lastListing: number): boolean {
  const isKnown = isDelivered(task.submission!) && isDelivered(by.submission!)
  return isKnown && task.uses === 0 && by.uses > 0 && by.isSettled && lastListing < by.submission!.number
}

function toViolation({ task, by, cause }: AbandonedTask): Violation {
  const first = task.submission!.number
  const why: Readonly<Record<Cause, string>> = {
    'response aborted':
      `The client aborted #${first} and submitted the request again, but #${first} had created task ${task.id}: ` +
      `${by.id} is a second charge. Wait longer for the response to a submission.`,
    'response lost':
      `The response to #${first} was lost and the request submitted again: tasks ${task.id} and ${by.id} are both ` +
      'charged.',
    'poll lost': `The request was submitted again after a poll was lost: task ${task.id} was abandoned for ${by.id}.`,
    'at once': `The request was submitted twice at once, and task ${task.id} was never polled: both are charged.`,
    accepted: `The request was submitted again after it was accepted: task ${task.id} was abandoned for ${by.id}.`,
  }
  const requests = [first, by.submission!.number].toSorted((one, other) => one - other)
  return { requests, message: why[cause] }
}
