import type { JournalEntry } from '../gateway/journal.ts'

/** Faults after which a client has what was said, only slowly or twice. */
const harmless = new Set(['drip', 'slow-start', 'duplicate-events', 'split-character'])

export const isHarmless = (fault: string): boolean => harmless.has(fault)

/** Whether the answer has gone, in whatever way. */
export const isSettled = ({ outcome }: JournalEntry): boolean => outcome !== 'open'

/** Whether the client has the answer, as the gateway meant it. Until it has gone, it doesn't. */
export function isDelivered({ outcome, content, fault }: JournalEntry): boolean {
  const whole = content !== 'partial' && content !== 'altered'
  return outcome === 'completed' && whole && (fault === null || harmless.has(fault))
}

/** Whether the answer broke on its way, through no doing of the client's. */
export function isBroken(entry: JournalEntry): boolean {
  return isSettled(entry) && entry.outcome !== 'aborted' && !isDelivered(entry)
}

/** Whether a good client asks again later: too many requests, an error of the gateway's, a broken answer. */
export function isRetryableFailure(entry: JournalEntry): boolean {
  return entry.status === 429 || entry.status >= 500 || isBroken(entry)
}
