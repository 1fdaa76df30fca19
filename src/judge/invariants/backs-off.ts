import { maxTracked, type Violation } from '../../apis/define/invariant.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { writesText } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isDownload, isRefusedForNow, isRetryableFailure, isSettled } from '../exchanges.ts'
import { formatNoWait, hasWaited, minShrinkMs, observedWaitMs } from '../waits.ts'
import { type GeneralInvariant, WaitFindings } from './invariant.ts'

/** How many consecutive waits must be less than half of the previous one. Fewer may be jitter. */
const minHalvings = 3

interface RetrySeries {
  last: JournalEntry
  /** Consecutive retries without a wait. */
  immediate: number
  halvings: number
  waitMs: number
}

/**
 * One immediate retry is common, and an outer retry loop restarts with a short wait. So a violation needs two consecutive
 * immediate retries, or waits that halve three times. A download with progress may continue at once. Intentional
 * duplicates are not judged, because they may be new requests.
 */
export const backsOff: GeneralInvariant = {
  name: 'backs-off',
  means:
    'After 429, 5xx or a broken response, a client waits before it retries, and its waits do not shrink.',
  advice: 'After 429, 5xx or a broken response, wait before you retry, and longer each time.',
  needs: 'request was retried after 429, 5xx or a broken response',
  watch: (context) => {
    const { duplicates } = context
    const findings = new WaitFindings()
    const series = new BoundedMap<RetrySeries>(maxTracked)
    /** Suspected submissions. They are judged at the end, when intentional duplicates are known. */
    const suspected = new BoundedMap<{ entry: JournalEntry; violation: Violation }>(maxTracked)

    const judge = (retries: RetrySeries, entry: JournalEntry): void => {
      const { last } = retries
      const waitMs = observedWaitMs(last, entry)
      // A wait that `Retry-After` requests is not the client's own.
      const isOwnWait = last.retryAfterMs === null
      const isShorter = waitMs < retries.waitMs / 2 && retries.waitMs - waitMs >= minShrinkMs(entry)
      const isWait = hasWaited(last, entry)
      // A wait that is not certain neither ends a series of immediate retries nor continues it.
      if (isWait !== undefined) retries.immediate = isWait ? 0 : retries.immediate + 1
      retries.halvings = isOwnWait && isShorter ? retries.halvings + 1 : 0
      retries.waitMs = isOwnWait ? waitMs : 0
      const found = findings.exercise(entry, last)
      const downTo = entry.timing !== 'wall' ? `, down to ${formatDuration(waitMs)}` : ''
      const message =
        isWait === false && retries.immediate >= 2
          ? `${entry.operation} was retried without a wait${formatNoWait(entry)}, twice in a row.`
          : retries.halvings >= minHalvings
            ? `The waits before ${entry.operation} shrink${downTo}.`
            : undefined
      if (message === undefined) return
      const requests = [last.number, entry.number]
      if (entry.method !== 'POST') found.addViolation(requests, message)
      else if (!suspected.has(entry.identity))
        suspected.set(entry.identity, { entry, violation: { requests, message } })
    }

    return {
      admitted: (entry) => {
        if (entry.operation === null) return
        const known = series.get(entry.identity)
        if (known && !isSettled(known.last)) return
        if (known && needsWait(known.last)) {
          judge(known, entry)
          known.last = entry
        } else series.set(entry.identity, { last: entry, immediate: 0, halvings: 0, waitMs: 0 })
      },
      restarted: () => series.clear(),
      findings: () =>
        findings.sum(
          context,
          [...suspected.values()].filter(({ entry }) => !duplicates.isIntended(entry)),
        ),
    }
  },
}

function needsWait(entry: JournalEntry): boolean {
  if (isRefusedForNow(entry)) return true
  if (isDownload(entry) && entry.bytes > 0) return false
  if (entry.stream && !writesText(entry)) return entry.stream.ended === 'error'
  return entry.stream?.ended === 'error' || isRetryableFailure(entry)
}
