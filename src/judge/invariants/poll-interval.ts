import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isDelivered, isPoll, maxTracked } from '../exchanges.ts'
import { channelOf } from '../operation-facts.ts'
import { formatLongWait, formatShortWait, maxWaitMs, minWaitMs } from '../waits.ts'
import type { InvariantDefinition } from './invariant.ts'
import { WaitFindings } from './wait-findings.ts'

/** The tolerance, because timers and networks are inexact. */
const toleranceShare = 0.1

/**
 * Judged between two polls of a task through the same API, if the first got a good response; `backs-off` judges waits after
 * failures. Slowness counts only if the client sent nothing else in between, because a client with many tasks polls each
 * less often. Without bounds, only videos are judged: drawings have no documented interval (§4.5).
 */
export const pollInterval: InvariantDefinition = {
  name: 'poll-interval',
  means: 'Two polls of a task are 5 to 10 seconds apart, or as far as the file says.',
  advice: 'Wait 5 to 10 seconds between two polls of a task.',
  needs: 'unfinished task was polled twice',
  watch: (context, { min, max }) => {
    const findings = new WaitFindings()
    const lastPolls = new BoundedMap<JournalEntry>(maxTracked)
    const hasBounds = min !== undefined || max !== undefined
    const minMs = parseDuration(min ?? (hasBounds ? 0 : '5s'))
    const maxMs = max === undefined ? (hasBounds ? Infinity : 10_000) : parseDuration(max)
    const bounds = `${formatDuration(minMs)}${maxMs === Infinity ? ' or more' : ` to ${formatDuration(maxMs)}`}`

    const judge = (last: JournalEntry, entry: JournalEntry): void => {
      const found = findings.exercise(entry)
      const addViolation = (wait: string): void =>
        found.addViolation(
          [last.number, entry.number],
          `Task ${entry.task} was polled again after ${wait}, expected ${bounds}.`,
        )
      const lowerMs = minMs * (1 - toleranceShare)
      if (maxWaitMs(last, entry) < lowerMs) {
        addViolation(formatShortWait(last, entry, lowerMs))
        return
      }
      const upperMs = maxMs * (1 + toleranceShare)
      const shortestMs = minWaitMs(last, entry)
      const wasIdle = context.previousRequest === last.number
      if (wasIdle && shortestMs > upperMs) addViolation(formatLongWait(entry, shortestMs, upperMs))
    }

    return {
      admitted: (entry) => {
        const { operation, task, final } = entry
        if (task === null || !isPoll(entry)) return
        if (!hasBounds && channelOf(operation) !== 'video') return
        const subject = `${operation} ${task}`
        const last = lastPolls.get(subject)
        lastPolls.set(subject, entry)
        if (final) lastPolls.delete(subject)
        if (!last || !isDelivered(last) || last.status !== 200 || last.retryAfterMs !== null) return
        judge(last, entry)
      },
      restarted: () => lastPolls.clear(),
      findings: () => findings.sum(context),
    }
  },
}
