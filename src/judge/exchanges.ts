import type { JournalEntry } from '../gateway/journal.ts'
import { fitsGlob } from '../engine/glob.ts'
import { findFault } from '../scenario/faults/index.ts'

export const isHarmless = (fault: string): boolean => findFault(fault)?.isHarmless === true

export const isSettled = ({ outcome }: JournalEntry): boolean => outcome !== 'open'

/** Whether the client received the complete response. */
export function isDelivered(entry: JournalEntry): boolean {
  const { outcome, content, fault } = entry
  const isComplete = content !== 'partial' && content !== 'altered'
  return (
    outcome === 'completed' && isComplete && (fault === null || isHarmless(fault) || isSparedStream(entry))
  )
}

/**
 * Whether a stream has all its events in spite of its fault: only its type was wrong, or its connection broke after the
 * final event.
 */
function isSparedStream({ fault, stream }: JournalEntry): boolean {
  if (fault === null || stream?.ended !== 'finished') return false
  const where = findFault(fault)?.visibleIn
  return where === 'connection' || where === 'body' || where === 'headers'
}

/** Whether the response broke, and not because the client aborted it. */
export function isBroken(entry: JournalEntry): boolean {
  return isSettled(entry) && entry.outcome !== 'aborted' && !isDelivered(entry)
}

/** Whether the gateway refuses the request for a while: by 429 or 5xx, or by an error code of its API that stands for one. */
export function isRefusedForNow({ status, refusalStatus = status }: JournalEntry): boolean {
  return [status, refusalStatus].some((each) => each === 429 || each >= 500)
}

/** Whether a good client retries the request: 429, 5xx or a broken response. */
export const isRetryableFailure = (entry: JournalEntry): boolean => isRefusedForNow(entry) || isBroken(entry)

type Served = Pick<JournalEntry, 'role' | 'sendsFile'>

export const isSubmission = ({ role }: Served): boolean => role === 'submit'

/** Whether an operation reads the state of one task. */
export const isPoll = ({ role }: Served): boolean => role === 'poll'

/** Whether the client gets the file of a task: by a download, or by a poll that sends it. */
export const isDownload = ({ role, sendsFile }: Served): boolean => role === 'download' || sendsFile === true

/** Whether an operation ends a task early. */
export const isCancel = ({ role }: Served): boolean => role === 'cancel'

/** Whether an operation reads several tasks. */
export const isListing = ({ role, kind }: Pick<JournalEntry, 'role' | 'kind'>): boolean =>
  role === 'list' && kind !== null

/** Whether an operation is in a list of names and patterns with `*`. */
export function isAmong(wanted: string | readonly string[], operation: string | null): boolean {
  return operation !== null && [wanted].flat().some((pattern) => fitsGlob(pattern, operation))
}
