import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'

/** @assumed §4.2 the media type of the poll is undocumented; wire §1.3: without a charset. */
const headers = { 'Content-Type': 'application/json' }

/** Polls a task (§4.2). */
export const videoPoll = defineOperation(
  {
    name: 'video.poll',
    role: 'poll',
    tasks: 'video',
    route: 'GET /v1/video/generations/{task_id}',
    task: 'task_id',
  },
  ({ quirks }: ApiDeps) => ({
    /** @assumed §7 the answer to an unknown task is undocumented; wire §2.4. */
    task: { unknown: () => taskError(400, 'task_not_exist', 'task_not_exist') },
    respond: (x) => {
      const task = x.task!
      const view = viewOf(x, task, quirks)
      x.entry.reportedStatus = view.state
      return {
        status: 200,
        headers,
        body: pollBody(task, view, x.origin, x.deps.links.queryFor(task.record.id, x.now)),
        delayMs: 0,
      }
    },
  }),
)

/**
 * The body of a poll (§2.2). It is built as text, because polls are the most frequent requests, and JSON.stringify takes
 * three times as long.
 *
 * @assumed §2.2 fields beyond task_id, status, progress, result_url and fail_reason are undocumented; wire §3.2.
 */
export function pollBody(task: Task, view: TaskView, origin: string, linkQuery = ''): string {
  const { record, lifecycle } = task
  const { id, row, submittedAt, request } = record
  const submitted = toSeconds(submittedAt)
  const model = JSON.stringify(request['model'])
  return (
    `{"code":"success","message":"","data":{"id":${row},"created_at":${submitted},` +
    `"updated_at":${toSeconds(view.since)},"task_id":"${id}","platform":"55","user_id":1,"group":"default",` +
    `"channel_id":1,"quota":${Number(request['quota'])},"action":"${request['action']}",` +
    `"status":"${view.state}","fail_reason":${JSON.stringify(view.reason)},` +
    (view.state === lifecycle.roles.success
      ? `"result_url":${JSON.stringify(`${origin}/v1/videos/${id}/content${linkQuery}`)},`
      : '') +
    `"submit_time":${submitted},"start_time":${toSeconds(view.startedAt)},` +
    `"finish_time":${toSeconds(view.finishedAt)},"progress":"${view.progress}%",` +
    `"properties":{"input":"","upstream_model_name":${model},"origin_model_name":${model}},` +
    `"data":{"id":"video_${row}","object":"video","status":"${upstreamStatus(lifecycle, view)}",` +
    `"progress":${view.progress}}}}`
  )
}

/** The statuses of the service behind the gateway (wire §4.2), as in the Videos API and in the poll's inner `data`. */
export function upstreamStatus({ roles }: Lifecycle, { state }: TaskView): string {
  if (state === roles.success) return 'completed'
  if (state === roles.failure) return 'failed'
  return state === roles.work ? 'in_progress' : 'queued'
}

/** Converts to seconds: times in video APIs are seconds, all internal times are milliseconds. */
export function toSeconds(instant: number): number {
  return Math.floor(instant / 1000)
}

/** The gateway's own names for states of a queued task, and their progress (wire §3.3). */
const queueStates = [
  { state: 'NOT_START', progress: 0 },
  { state: 'SUBMITTED', progress: 10 },
  { state: 'QUEUED', progress: 20 },
] as const

/** A task as the gateway's own video API shows it. With a quirk, each queue state has a third of the time. */
export function viewOf({ tasks, viewedAt }: Exchange, task: Task, { videoStatusStyle }: Quirks): TaskView {
  const view = tasks.view(task, viewedAt)
  const { timeline, lifecycle } = task
  if (videoStatusStyle === 'seed' || view.state !== lifecycle.roles.queue) return view
  const { from, until, wholeMs } = timeline.spans.find(({ state }) => state === view.state)!
  const durationMs = wholeMs ?? (until === null ? 0 : until - from)
  const elapsed = durationMs === 0 ? 1 : (viewedAt - from) / durationMs
  return { ...view, ...queueStates[Math.min(2, Math.floor(elapsed * 3))]! }
}
