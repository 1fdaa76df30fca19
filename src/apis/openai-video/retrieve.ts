import { toUnixSeconds } from '../../engine/clock/duration.ts'
import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import { taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import { integer, optionalText, unixSeconds, type OperationDetails } from '../define/operation-schema.ts'
import { may, must, named } from '../../scenario/schema/fields.ts'
import { defineOperation } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { pollInterval, upstreamStatus } from '../video/poll.ts'
import { videoRequest } from '../video/task.ts'

/** A poll in the form of OpenAI's Videos API. An id from either API works in both. */
export const videosRetrieve = defineOperation(
  {
    name: 'videos.retrieve',
    summary: 'Retrieve a video',
    role: 'poll',
    interval: pollInterval,
    tasks: 'video',
    route: 'GET /v1/videos/{task_id}',
    task: 'task_id',
    schema: describeVideoAnswer,
  },
  (core: Core) => ({
    task: { unknown: () => unknownVideo() },
    respond: (x) => {
      const view = x.sentView
      x.entry.reportedStatus = view.state
      return jsonReply(200, videoRecord(x.task!, view, x.origin, core))
    },
  }),
)

/** @assumed §7 the answer to an unknown video is undocumented; wire §4.2 and §4.3. */
export function unknownVideo(message = 'task_not_exist'): GatewayError {
  return taskError(400, 'task_not_exist', message)
}

/** The circumstances that the form of a video depends on, in addition to its task. */
interface VideoForm {
  readonly quirks: Pick<Quirks, 'openaiVideoStyle'>
  readonly retention: Core['retention']
}

/** A task in the form of the Videos API. */
export function videoRecord(task: Task, view: TaskView, origin: string, form: VideoForm): object {
  return form.quirks.openaiVideoStyle === 'openai'
    ? openaiRecord(task, view, form.retention?.ageMs)
    : gatewayRecord(task, view, origin)
}

/** The common fields of both forms. */
function commonFields(task: Task, view: TaskView) {
  const { record, lifecycle } = task
  const { id } = record
  const { model, seconds, width, height, remixedFrom } = videoRequest(task)
  return {
    id,
    object: 'video',
    model,
    status: upstreamStatus(lifecycle, view),
    progress: view.progress,
    created_at: toUnixSeconds(record.submittedAt),
    completed_at: view.final ? toUnixSeconds(view.finishedAt) : undefined,
    seconds: String(seconds),
    size: `${width}x${height}`,
    remixed_from_video_id: remixedFrom,
    error: view.state === lifecycle.roles.failure ? { message: view.reason, code: 'task_failed' } : undefined,
  }
}

/**
 * The gateway's form.
 *
 * @assumed §4.1 the JSON of a video is undocumented; wire §4.1 and §4.2: empty fields are omitted, times are in seconds, and usage is
 * what a video is billed by.
 */
function gatewayRecord(task: Task, view: TaskView, origin: string): object {
  const { id } = task.record
  const { tokens } = videoRequest(task)
  const isDone = view.state === task.lifecycle.roles.success
  const { id: _, object, ...fields } = commonFields(task, view)
  return {
    id,
    task_id: id,
    object,
    // Undefined fields are not in the JSON.
    ...fields,
    usage: isDone && tokens !== undefined ? { completion_tokens: tokens, total_tokens: tokens } : undefined,
    metadata: isDone ? { url: `${origin}/v1/videos/${id}/content` } : undefined,
  }
}

/** OpenAI's own form: exactly the fields of its type `Video`, empty ones as null (wire §4.2). */
function openaiRecord(task: Task, view: TaskView, retainedMs: number | undefined): object {
  const { record, lifecycle } = task
  const fields = commonFields(task, view)
  const expires = view.state === lifecycle.roles.success && retainedMs !== undefined
  return {
    ...fields,
    completed_at: fields.completed_at ?? null,
    expires_at: expires ? toUnixSeconds(record.submittedAt + retainedMs) : null,
    prompt: videoRequest(task).prompt,
    remixed_from_video_id: fields.remixed_from_video_id ?? null,
    error: fields.error ?? null,
  }
}

export const videoSchema = once(() =>
  named(
    'Video',
    z.object({
      id: z.string(),
      task_id: optionalText,
      object: z.literal('video'),
      model: z.string(),
      status: must(z.string(), 'queued, in_progress, completed or failed.'),
      progress: integer,
      created_at: unixSeconds,
      completed_at: z.optional(z.nullable(unixSeconds)),
      expires_at: z.optional(z.nullable(unixSeconds)),
      prompt: z.optional(z.nullable(z.string())),
      seconds: z.string(),
      size: z.string(),
      remixed_from_video_id: z.optional(z.nullable(z.string())),
      error: z.optional(z.nullable(z.object({ message: z.string(), code: z.string() }))),
      usage: z.optional(z.object({ completion_tokens: integer, total_tokens: integer })),
      metadata: may(z.object({ url: z.string() }), 'Where the video is, once it is done.'),
    }),
    'A video in the form of the Videos API. The quirk `openaiVideoStyle` chooses which optional fields it has.',
  ),
)

/** The schema of an operation that answers with a video. */
export function describeVideoAnswer(): OperationDetails {
  return { answer: { json: videoSchema() } }
}
