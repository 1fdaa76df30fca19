import type { JournalEntry } from '../gateway/journal.ts'
import type { Run } from './invariant.ts'
import { longestWaitMs } from './waits.ts'

/** Requests that lie closer together may have been sent together. */
const burstMs = 100

/**
 * Whether a request may be another of the same kind, rather than the same asked again: one that makes something, sent at
 * the same time as others, by a client that does several things at once.
 */
export function isRepeatOnPurpose(before: JournalEntry, next: JournalEntry, run: Run): boolean {
  return next.method === 'POST' && run.concurrent && longestWaitMs(before, next) < burstMs
}
