import type { ObservedState } from '../define/flow.ts'
import { videoLifecycle } from './lifecycle.ts'

const { queue, work, success, failure } = videoLifecycle.roles

/** The states of video tasks, by the words of this API, of OpenAI's, and of gateways that pass on the words of others. */
const states: Readonly<Record<string, string>> = {
  not_start: queue,
  submitted: queue,
  queued: queue,
  in_progress: work,
  processing: work,
  success,
  completed: success,
  failure,
  failed: failure,
}

/** Reads the record in a poll of a real gateway. */
export function readVideoState(record: Readonly<Record<string, unknown>>): ObservedState | undefined {
  const { status, progress, fail_reason: reason, error } = record
  const known = typeof status === 'string' ? states[status.toLowerCase()] : undefined
  if (known === undefined) return undefined
  return { status: known, progress, reason: reason || (error as { message?: unknown } | null)?.message }
}
