import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import { taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Quirks } from '../../scenario/vocabulary/types.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'
import { toSeconds, upstreamStatus } from '../video/poll.ts'

/** A poll in the form of OpenAI's Videos API. An id from either API works in both. */
export const videosRetrieve = defineOperation(
  {
    name: 'videos.retrieve',
    role: 'poll',
    tasks: 'video',
    route: 'GET /v1/videos/{task_id}',
    task: 'task_id',
  },
  (deps: ApiDeps) => ({
    task: { unknown: () => unknownVideo() },
    respond: (x) => {
      const view = x.tasks.view(x.task!, x.viewedAt)
      x.entry.reportedStatus = view.state
      return jsonReply(200, videoRecord(x.task!, view, x.origin, deps))
    },
  }),
)

/** @assumed §7 the answer to an unknown video is undocumented; wire §4.2 and §4.3. */
export function unknownVideo(message = 'task_not_exist'): GatewayError {
  return taskError(400, 'task_not_exist', message)
}

/** The circumstances that the form of a video depends on, in addition to its task. */
export interface VideoForm {
  readonly quirks: Pick<Quirks, 'openaiVideoStyle'>
  /** How long a task is retained after its submission; undefined without a limit. */
  readonly retainedMs: number | undefined
}

/** A task in the form of the Videos API. */
export function videoRecord(task: Task, view: TaskView, origin: string, form: VideoForm): object {
  return form.quirks.openaiVideoStyle === 'openai'
    ? openaiRecord(task, view, form.retainedMs)
    : gatewayRecord(task, view, origin)
}

/** The common fields of both forms. */
function commonFields({ record, lifecycle }: Task, view: TaskView) {
  const { id, request } = record
  return {
    id,
    object: 'video',
    model: String(request['model']),
    status: upstreamStatus(lifecycle, view),
    progress: view.progress,
    created_at: toSeconds(record.submittedAt),
    completed_at: view.final ? toSeconds(view.finishedAt) : undefined,
    seconds: String(request['seconds']),
    size: `${request['width']}x${request['height']}`,
    remixed_from_video_id: request['remixedFrom'],
    error: view.state === lifecycle.roles.failure ? { message: view.reason, code: 'task_failed' } : undefined,
  }
}

/**
 * The gateway's form.
 *
 * @assumed §4.1 this form is undocumented; wire §4.1 and §4.2: empty fields are omitted, times are in seconds, and usage is
 * what a video is billed by.
 */
function gatewayRecord(task: Task, view: TaskView, origin: string): object {
  const { id, request } = task.record
  const { tokens } = request
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
    expires_at: expires ? toSeconds(record.submittedAt + retainedMs) : null,
    prompt: record.request['prompt'] ?? null,
    remixed_from_video_id: fields.remixed_from_video_id ?? null,
    error: fields.error ?? null,
  }
}
