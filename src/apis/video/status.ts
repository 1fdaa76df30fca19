import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Quirks } from '../../gateway/quirks.ts'

/** The words of the service behind the gateway (wire §4.2): those of the Videos API, and of the poll's inner `data`. */
export function upstreamStatus({ roles }: Lifecycle, { state }: TaskView): string {
  if (state === roles.success) return 'completed'
  if (state === roles.failure) return 'failed'
  return state === roles.work ? 'in_progress' : 'queued'
}

/** Video times are seconds; everything inside counts milliseconds. */
export function toSeconds(instant: number): number {
  return Math.floor(instant / 1000)
}

/** What the gateway itself calls a queued task, and the progress that it gives it (wire §3.3). */
const queueStates = [
  { state: 'NOT_START', progress: 0 },
  { state: 'SUBMITTED', progress: 10 },
  { state: 'QUEUED', progress: 20 },
] as const

/** A task as the gateway's own video API shows it: by a quirk, each queue state for a third of the time. */
export function viewOf({ tasks, viewedAt }: Exchange, task: Task, { videoStatusStyle }: Quirks): TaskView {
  const view = tasks.view(task, viewedAt)
  const { timeline, lifecycle } = task
  if (videoStatusStyle === 'seed' || view.state !== lifecycle.roles.queue) return view
  const { from, until, wholeMs } = timeline.spans.find(({ state }) => state === view.state)!
  const durationMs = wholeMs ?? (until === null ? 0 : until - from)
  const elapsed = durationMs === 0 ? 1 : (viewedAt - from) / durationMs
  return { ...view, ...queueStates[Math.min(2, Math.floor(elapsed * 3))]! }
}
