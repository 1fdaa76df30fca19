import { maxTracked } from '../../apis/define/invariant.ts'
import { formatDuration } from '../../engine/clock/duration.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isRetryableFailure } from '../exchanges.ts'
import { formatShortWait, maxWaitMs } from '../waits.ts'
import { type GeneralInvariant, WaitFindings, type SuspectedWait } from './invariant.ts'

/** Further failures of one request are not distinguished. */
const maxFailures = 100

/** Requests that are closer together may be one burst. */
const burstMs = 100

/**
 * The required wait. One second too early is tolerated, because dates have whole seconds, but never more than half of the
 * wait.
 */
const requiredWaitMs = (retryAfterMs: number): number => retryAfterMs - Math.min(1_000, retryAfterMs / 2)

/** The failures of one request that were not yet retried. */
interface Failures {
  /** With `Retry-After`. */
  readonly refusals: JournalEntry[]
  /** Without it: the client may retry at any time. */
  readonly others: JournalEntry[]
}

/** Early retries of a submission that may be intentional duplicates. */
interface Suspects {
  readonly failures: Failures
  readonly entry: JournalEntry
  readonly early: SuspectedWait[]
}

/**
 * Judged by request, since a client that must wait with one request may send others. If a submission has intentional
 * duplicates, early ones may be new. Then only as many count as there are refusals without a timely retry.
 */
export const honoursRetryAfter: GeneralInvariant = {
  name: 'honours-retry-after',
  means: 'A client retries a request no sooner than Retry-After says.',
  advice: 'Wait as long as Retry-After says before you send the request again.',
  howTo: {
    python: 'In Python: response.headers["Retry-After"], in seconds or as a date.',
    javascript: 'In JavaScript: response.headers.get("retry-after"), in seconds or as a date.',
  },
  needs: 'client retried a request that got Retry-After',
  watch: (context) => {
    const { duplicates } = context
    const findings = new WaitFindings()
    const failuresOf = new BoundedMap<Failures>(maxTracked)
    const suspects = new BoundedMap<Suspects>(maxTracked)

    const addEarlyRetry = (failures: Failures, refusal: JournalEntry, entry: JournalEntry): void => {
      const waitMs = maxWaitMs(refusal, entry)
      if (waitMs < burstMs && duplicates.isIntended(entry)) return
      const found = findings.exercise(entry, refusal)
      const wait = formatShortWait(refusal, entry, requiredWaitMs(refusal.retryAfterMs!))
      const required = formatDuration(refusal.retryAfterMs!)
      const requests = [refusal.number, entry.number]
      const message = `${entry.operation} was retried after ${wait}, but #${refusal.number} had Retry-After ${required}.`
      if (entry.method !== 'POST') {
        found.addViolation(requests, message)
        remove(failures.refusals, refusal)
        return
      }
      const known = suspects.get(entry.identity) ?? { failures, entry, early: [] }
      suspects.set(entry.identity, known)
      if (known.early.length < maxFailures) known.early.push({ entry, violation: { requests, message } })
    }

    const judge = (failures: Failures, entry: JournalEntry): void => {
      const delivered = failures.refusals.filter(({ outcome }) => outcome === 'completed')
      const waited = delivered.find((each) => maxWaitMs(each, entry) >= requiredWaitMs(each.retryAfterMs!))
      if (waited) {
        findings.exercise(entry, waited)
        remove(failures.refusals, waited)
        return
      }
      const other = failures.others.find(isRetryableFailure)
      if (other) remove(failures.others, other)
      else if (delivered.length > 0) addEarlyRetry(failures, delivered.at(-1)!, entry)
    }

    return {
      admitted: (entry) => {
        if (entry.operation === null) return
        const known = failuresOf.get(entry.identity)
        if (known) judge(known, entry)
        const failures = known ?? { refusals: [], others: [] }
        const hasRetryAfter = entry.retryAfterMs !== null && entry.retryAfterMs > 0
        const list = hasRetryAfter ? failures.refusals : failures.others
        // Whether a response breaks is known later, so each counts as a failure until then. Polls come one after another,
        // but several submissions may be open.
        const mayFail = entry.method === 'POST' || known !== undefined
        if (hasRetryAfter || mayFail) list.push(entry)
        if (list.length > maxFailures) list.shift()
        if (!known && list.length > 0) failuresOf.set(entry.identity, failures)
      },
      settled: (entry) => {
        const failures = failuresOf.get(entry.identity)
        if (!failures) return
        if (!isRetryableFailure(entry)) remove(failures.others, entry)
        if (failures.refusals.length + failures.others.length === 0) failuresOf.delete(entry.identity)
      },
      restarted: () => failuresOf.clear(),
      findings: () =>
        findings.sum(
          context,
          [...suspects.values()].flatMap(({ failures, entry, early }) =>
            duplicates.isIntended(entry) ? early.slice(0, failures.refusals.length) : early,
          ),
        ),
    }
  },
}

function remove<Value>(list: Value[], value: Value): void {
  const index = list.indexOf(value)
  if (index >= 0) list.splice(index, 1)
}
