import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import {
  channelOf,
  isDelivered,
  isPoll,
  isWaitKnown,
  maxTracked,
  maxWaitMs,
  minWaitMs,
  unknownWaits,
} from '../exchanges.ts'
import { Findings, type InvariantDefinition } from './invariant.ts'

/** Timers and networks are not exact. */
const toleranceShare = 0.1

/**
 * Judged between two polls of a task through the same API if the first got a good response; `backs-off` judges the wait
 * after a failure. Slowness counts only if the client sent nothing else in between: a client with many tasks polls each
 * of them less often. Without bounds it concerns videos only: drawings have no documented interval (§4.5).
 */
export const pollInterval: InvariantDefinition = {
  name: 'poll-interval',
  means: 'Two polls of a task are 5 to 10 seconds apart, or as far as the file says.',
  advice: 'Wait 5 to 10 seconds between two polls of a task.',
  needs: 'unfinished task was polled twice',
  watch: (context, { min, max }) => {
    const findings = new Findings()
    const lastPolls = new BoundedMap<JournalEntry>(maxTracked)
    const hasBounds = min !== undefined || max !== undefined
    const minMs = parseDuration(min ?? (hasBounds ? 0 : '5s'))
    const maxMs = max === undefined ? (hasBounds ? Infinity : 10_000) : parseDuration(max)
    const bounds = `${formatDuration(minMs)}${maxMs === Infinity ? ' or more' : ` to ${formatDuration(maxMs)}`}`

    const judge = (last: JournalEntry, entry: JournalEntry): void => {
      const addViolation = (waitMs: number): void => {
        const wait = `${formatDuration(waitMs)} of ${entry.timing === 'wall' ? 'real' : 'virtual'} time`
        const message = `Task ${entry.task} was polled again after ${wait}, expected ${bounds}.`
        findings.addViolation([last.number, entry.number], message)
      }
      const longestMs = maxWaitMs(last, entry)
      if (longestMs < minMs * (1 - toleranceShare)) {
        addViolation(longestMs)
        return
      }
      const shortestMs = minWaitMs(last, entry)
      const wasIdle = context.previousRequest === last.number
      if (wasIdle && shortestMs > maxMs * (1 + toleranceShare)) addViolation(shortestMs)
    }

    return {
      admitted: (entry) => {
        const { operation, task, final } = entry
        if (task === null || !isPoll(operation)) return
        if (!hasBounds && channelOf(operation) !== 'video') return
        const subject = `${operation} ${task}`
        const last = lastPolls.get(subject)
        lastPolls.set(subject, entry)
        if (final) lastPolls.delete(subject)
        if (!last || !isDelivered(last) || last.status !== 200 || last.retryAfterMs !== null) return
        if (!isWaitKnown(entry)) {
          findings.unjudgedReason = unknownWaits
          return
        }
        findings.exercised++
        judge(last, entry)
      },
      findings: () => findings,
    }
  },
}
