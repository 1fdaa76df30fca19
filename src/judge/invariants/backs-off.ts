import { formatDuration } from '../../engine/clock/duration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { isSettled, isRetryableFailure } from '../answers.ts'
import { Findings, type InvariantDefinition, type Violation } from '../invariant.ts'
import { Memory } from '../memory.ts'
import { isDownload } from '../operations.ts'
import { isWaitSeen, maxWaitMs, unseenWaits } from '../waits.ts'

/** A shorter wait is none. */
const noWaitMs = 50

/** How often in a row a wait must be less than half of the one before to be no accident of jitter. */
const maxHalvings = 3

interface Trouble {
  last: JournalEntry
  /** How often in a row it came again without a wait. */
  rushed: number
  halvings: number
  waitedMs: number
}

/**
 * One retry at once is common, and loops around retries begin with short waits anew; so it takes two retries in a row
 * without a wait, or waits that halve three times over. A download or stream that got somewhere may go on at once. What is
 * wanted several times is not judged: its requests need not be the same one asked again.
 */
export const backsOff: InvariantDefinition = {
  name: 'backs-off',
  means: 'After 429, 5xx or a broken answer, a client waits before it asks again, and never less and less.',
  needs: 'client asked again after 429, 5xx or a broken answer',
  watch: ({ wants }) => {
    const findings = new Findings()
    const troubles = new Memory<Trouble>()
    const accused = new Memory<{ entry: JournalEntry; violation: Violation }>()

    const accuse = (entry: JournalEntry, requests: readonly number[], message: string): void => {
      if (entry.method !== 'POST') findings.violated(requests, message)
      else if (!accused.get(entry.identity)) {
        accused.set(entry.identity, { entry, violation: { requests, message } })
      }
    }

    const judge = (trouble: Trouble, entry: JournalEntry): void => {
      const { last } = trouble
      if (!isWaitSeen(entry)) {
        findings.unseen = unseenWaits
        return
      }
      findings.exercised++
      const waitedMs = maxWaitMs(last, entry)
      // A wait that the gateway asked for says nothing of the client's own.
      const isOwn = last.retryAfterMs === null
      trouble.rushed = waitedMs < noWaitMs ? trouble.rushed + 1 : 0
      trouble.halvings = isOwn && waitedMs < trouble.waitedMs / 2 ? trouble.halvings + 1 : 0
      trouble.waitedMs = isOwn ? waitedMs : 0
      const requests = [last.number, entry.number]
      if (trouble.rushed >= 2) {
        accuse(entry, requests, `${entry.operation} came again without a wait, twice in a row.`)
      } else if (trouble.halvings >= maxHalvings) {
        const waited = formatDuration(waitedMs)
        accuse(entry, requests, `The waits before ${entry.operation} shrink, down to ${waited}.`)
      }
    }

    return {
      admitted: (entry) => {
        if (entry.operation === null) return
        const trouble = troubles.get(entry.identity)
        if (trouble && !isSettled(trouble.last)) return
        if (trouble && isTroubled(trouble.last)) {
          judge(trouble, entry)
          trouble.last = entry
        } else troubles.set(entry.identity, { last: entry, rushed: 0, halvings: 0, waitedMs: 0 })
      },
      findings: () =>
        findings.with(
          [...accused.values()]
            .filter(({ entry }) => !wants.areTwice(entry))
            .map(({ violation }) => violation),
        ),
    }
  },
}

function isTroubled(entry: JournalEntry): boolean {
  if (entry.status === 429 || entry.status >= 500) return true
  if (isDownload(entry.operation) && entry.bytes > 0) return false
  return entry.stream ? entry.stream.ended === 'error' : isRetryableFailure(entry)
}
