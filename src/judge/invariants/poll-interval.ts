import { maxTracked } from '../../apis/define/invariant.ts'
import type { Interval } from '../../engine/operations/facts.ts'
import { formatDuration, parseDuration } from '../../engine/clock/duration.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isDelivered, isPoll } from '../exchanges.ts'
import { formatLongWait, formatShortWait, maxWaitMs, minWaitMs } from '../waits.ts'
import { type GeneralInvariant, WaitFindings } from './invariant.ts'

/** The tolerance, because timers and networks are inexact. */
const toleranceShare = 0.1

interface ParsedInterval {
  readonly minMs: number
  readonly maxMs: number
  readonly text: string
}

function parseInterval({ min = '0s', max }: Interval): ParsedInterval {
  const minMs = parseDuration(min)
  const from = formatDuration(minMs)
  if (max === undefined) return { minMs, maxMs: Infinity, text: `${from} or more` }
  const maxMs = parseDuration(max)
  return { minMs, maxMs, text: `${from} to ${formatDuration(maxMs)}` }
}

/**
 * Judged between two polls of a task through the same API, if the first one reports the state; `backs-off` judges waits after
 * failures. A refusal may have the status 200. A slow poll counts only with a `max` of the file, since hidden pages and growing
 * waits are slow on purpose, and only if the client sent nothing else in between: with many tasks, each is polled less often.
 * Without bounds, polls of an operation with an interval are judged: drawings have no documented one (§4.5).
 */
export const pollInterval: GeneralInvariant = {
  name: 'poll-interval',
  means: 'Two polls of a task are at least 5 seconds apart, or as far as the file says.',
  advice: 'Wait at least 5 seconds between two polls of a task, or as long as its API or the file says.',
  needs: 'unfinished task was polled twice',
  needsOwnBodies: true,
  watch: (context, given) => {
    const findings = new WaitFindings()
    const lastPolls = new BoundedMap<JournalEntry>(maxTracked)
    const hasBounds = given.min !== undefined || given.max !== undefined

    // An operation's interval is one object, so each is parsed once.
    const parsed = new Map<Interval, ParsedInterval>()
    const parse = (interval: Interval): ParsedInterval => {
      const known = parsed.get(interval) ?? parseInterval(interval)
      parsed.set(interval, known)
      return known
    }

    const judge = (last: JournalEntry, entry: JournalEntry, interval: Interval): void => {
      const found = findings.exercise(entry)
      const { minMs, maxMs, text } = parse(interval)
      const addViolation = (wait: string): void =>
        found.addViolation(
          [last.number, entry.number],
          `Task ${entry.task} was polled again after ${wait}, expected ${text}.`,
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
        const subject = `${operation} ${task}`
        const last = lastPolls.get(subject)
        lastPolls.set(subject, entry)
        if (final) lastPolls.delete(subject)
        if (!last || !isDelivered(last) || !tellsState(last) || last.retryAfterMs !== null) return
        const interval = hasBounds ? given : context.operations.find(operation)?.interval
        if (interval) judge(last, entry, interval)
        else findings.missing ??= `no interval is known for ${operation}. Write min or max`
      },
      restarted: () => lastPolls.clear(),
      findings: () => findings.sum(context),
    }
  },
}

function tellsState({ status, bodyReports, reportedStatus }: JournalEntry): boolean {
  return status < 300 && (bodyReports === undefined ? reportedStatus !== null : bodyReports !== 'nothing')
}
