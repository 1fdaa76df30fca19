import type { ObservedState } from '../define/flow.ts'
import type { Job } from '../jobs/job/job.ts'

/** The states of a video (§3.1), always in this order. */
export const states = {
  queue: 'queued',
  work: 'IN_PROGRESS',
  success: 'SUCCESS',
  failure: 'FAILURE',
} as const

/** The statuses of the service behind the gateway (wire §4.2), as in the Videos API and in the poll's inner `data`. */
export function upstreamStatus({ hasSucceeded, hasFailed, isQueued }: Job): string {
  return hasSucceeded ? 'completed' : hasFailed ? 'failed' : isQueued ? 'queued' : 'in_progress'
}

/** The states by the words of this API, of OpenAI's, and of gateways that pass on the words of others. */
const byWord: Readonly<Record<string, string>> = {
  not_start: states.queue,
  submitted: states.queue,
  queued: states.queue,
  in_progress: states.work,
  processing: states.work,
  success: states.success,
  completed: states.success,
  failure: states.failure,
  failed: states.failure,
}

/** Reads the record in a poll of a real gateway. */
export function readVideoState(record: Readonly<Record<string, unknown>>): ObservedState | undefined {
  const { status, progress, fail_reason: reason, error } = record
  const known = typeof status === 'string' ? byWord[status.toLowerCase()] : undefined
  if (known === undefined) return undefined
  return { status: known, progress, reason: reason || (error as { message?: unknown } | null)?.message }
}
