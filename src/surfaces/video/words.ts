import type { Lifecycle } from '../../engine/lifecycle.ts'
import type { TaskView } from '../../engine/timeline.ts'

/** The words of the service behind the gateway (wire §4.2): the Videos API's own, and the poll's inner `data`. */
export function upstreamStatus({ roles }: Lifecycle, { state }: TaskView): string {
  if (state === roles.success) return 'completed'
  if (state === roles.failure) return 'failed'
  return state === roles.work ? 'in_progress' : 'queued'
}

/** Video times are seconds; everything inside counts milliseconds. */
export function toSeconds(instant: number): number {
  return Math.floor(instant / 1000)
}
