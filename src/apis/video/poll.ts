import { toUnixSeconds } from '../../engine/clock/duration.ts'
import * as z from 'zod/mini'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { anyObject, integer, unixSeconds } from '../define/operation-schema.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { defineOperation } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { videoRequest } from './task.ts'

/** @assumed §4.2 the media type of the poll is undocumented; wire §1.3: without a charset. */
const headers = { 'Content-Type': 'application/json' }

/** How far apart two polls of a video are meant to be (§4.2). */
export const pollInterval = { min: '5s', max: '10s' }

/** Polls a task (§4.2). */
export const videoPoll = defineOperation(
  {
    name: 'video.poll',
    summary: 'Poll the task of a video',
    role: 'poll',
    interval: pollInterval,
    tasks: 'video',
    route: 'GET /v1/video/generations/{task_id}',
    task: 'task_id',
    schema: () => ({ answer: { json: polledVideo() } }),
  },
  ({ quirks }: Core) => ({
    /** @assumed §7 the answer to an unknown task is undocumented; wire §2.4. */
    task: { unknown: () => taskError(400, 'task_not_exist', 'task_not_exist') },
    respond: (x) => {
      const task = x.task!
      const view = viewOf(x, quirks)
      x.entry.reportedStatus = view.state
      return {
        status: 200,
        headers,
        body: pollBody(task, view, x.origin, x.core.links.queryFor(task.record.id, x.now)),
        delayMs: 0,
      }
    },
  }),
)

/**
 * The body of a poll (§2.2).
 *
 * @assumed §2.2 fields beyond task_id, status, progress, result_url and fail_reason are undocumented; wire §3.2.
 */
export function pollBody(task: Task, view: TaskView, origin: string, linkQuery = ''): string {
  const { record, lifecycle } = task
  const { id, row, submittedAt } = record
  const { model, quota, action } = videoRequest(task)
  const submitted = toUnixSeconds(submittedAt)
  const isDone = view.state === lifecycle.roles.success
  return JSON.stringify({
    code: 'success',
    message: '',
    data: {
      id: row,
      created_at: submitted,
      updated_at: toUnixSeconds(view.since),
      task_id: id,
      platform: '55',
      user_id: 1,
      group: 'default',
      channel_id: 1,
      quota,
      action,
      status: view.state,
      fail_reason: view.reason,
      // Undefined fields are not in the JSON.
      result_url: isDone ? `${origin}/v1/videos/${id}/content${linkQuery}` : undefined,
      submit_time: submitted,
      start_time: toUnixSeconds(view.startedAt),
      finish_time: toUnixSeconds(view.finishedAt),
      progress: `${view.progress}%`,
      properties: { input: '', upstream_model_name: model, origin_model_name: model },
      data: {
        id: `video_${row}`,
        object: 'video',
        status: upstreamStatus(lifecycle, view),
        progress: view.progress,
      },
    },
  })
}

function polledVideo(): z.ZodMiniType {
  return named(
    'VideoTask',
    z.object({
      code: z.string(),
      message: z.string(),
      data: z.object({
        id: integer,
        created_at: unixSeconds,
        updated_at: unixSeconds,
        task_id: z.string(),
        platform: z.string(),
        user_id: integer,
        group: z.string(),
        channel_id: integer,
        quota: z.number(),
        action: z.string(),
        status: must(
          z.string(),
          'queued, IN_PROGRESS, SUCCESS or FAILURE, unless a lifecycle is configured.',
        ),
        fail_reason: z.optional(z.string()),
        result_url: may(z.string(), 'Where the video is, once it is done.'),
        submit_time: unixSeconds,
        start_time: unixSeconds,
        finish_time: unixSeconds,
        progress: must(z.string(), 'In percent.', '66%'),
        properties: anyObject,
        data: z.optional(z.nullable(anyObject)),
      }),
    }),
    'The present state of a task (§2.2).',
  )
}

/** The statuses of the service behind the gateway (wire §4.2), as in the Videos API and in the poll's inner `data`. */
export function upstreamStatus({ roles }: Lifecycle, { state }: TaskView): string {
  if (state === roles.success) return 'completed'
  if (state === roles.failure) return 'failed'
  return state === roles.work ? 'in_progress' : 'queued'
}

/** The gateway's own names for states of a queued task, and their progress (wire §3.3). */
const queueStates = [
  { state: 'NOT_START', progress: 0 },
  { state: 'SUBMITTED', progress: 10 },
  { state: 'QUEUED', progress: 20 },
] as const

/** A task as the gateway's own video API shows it. With a quirk, each queue state has a third of the time. */
export function viewOf({ task, sentView: view, viewedAt }: Exchange, { videoStatusStyle }: Quirks): TaskView {
  if (videoStatusStyle === 'seed' || view.state !== task!.lifecycle.roles.queue) return view
  const { from, until, wholeMs } = task!.timeline.spans.find(({ state }) => state === view.state)!
  const durationMs = wholeMs ?? (until === null ? 0 : until - from)
  const elapsed = durationMs === 0 ? 1 : (viewedAt - from) / durationMs
  return { ...view, ...queueStates[Math.min(2, Math.floor(elapsed * 3))]! }
}
