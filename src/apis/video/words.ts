import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'

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

/** What the gateway itself calls a task that waits, and how far it says it is (wire §3.3). */
const waiting = [
  { state: 'NOT_START', progress: 0 },
  { state: 'SUBMITTED', progress: 10 },
  { state: 'QUEUED', progress: 20 },
] as const

/** A task that queues, in the gateway's own words: each for a third of the time. Others stay as they are. */
export function inGatewaysWords({ timeline, lifecycle }: Task, view: TaskView, now: number): TaskView {
  if (view.state !== lifecycle.roles.queue) return view
  const { from, until, wholeMs } = timeline.spans.find(({ state }) => state === view.state)!
  const lastsMs = wholeMs ?? (until === null ? 0 : until - from)
  const share = lastsMs === 0 ? 1 : (now - from) / lastsMs
  return { ...view, ...waiting[Math.min(2, Math.floor(share * 3))]! }
}
