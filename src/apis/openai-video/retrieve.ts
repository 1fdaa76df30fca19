import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import type { Route } from '../../gateway/exchange.ts'
import { taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation } from '../operation.ts'
import { toSeconds, upstreamStatus } from '../video/poll.ts'

/** A poll in the form of OpenAI's Videos API. An id from either API works in both. */
export function videosRetrieve(): Route {
  return defineOperation('videos.retrieve', {
    task: { unknown: () => unknownVideo() },
    respond: (x) => {
      const view = x.tasks.view(x.task!, x.viewedAt)
      x.entry.reportedStatus = view.state
      return jsonReply(200, videoRecord(x.task!, view, x.origin))
    },
  })
}

/** @assumed §7 the answer to an unknown video is undocumented; wire §4.2 and §4.3. */
export function unknownVideo(message = 'task_not_exist'): GatewayError {
  return taskError(400, 'task_not_exist', message)
}

/**
 * A task in the form of the Videos API.
 *
 * @assumed §4.1 this form is undocumented; wire §4.1 and §4.2: empty fields are left out, times are seconds, and
 * usage is what a video is billed by.
 */
export function videoRecord(
  { record, lifecycle }: Task,
  view: TaskView,
  origin: string,
): Record<string, unknown> {
  const { id, request } = record
  const { tokens } = request
  const { roles } = lifecycle
  return {
    id,
    task_id: id,
    object: 'video',
    model: request['model'],
    status: upstreamStatus(lifecycle, view),
    progress: view.progress,
    created_at: toSeconds(record.submittedAt),
    // JSON leaves out undefined fields.
    completed_at: view.final ? toSeconds(view.finishedAt) : undefined,
    seconds: String(request['seconds']),
    size: `${request['width']}x${request['height']}`,
    remixed_from_video_id: request['remixedFrom'],
    error: view.state === roles.failure ? { message: view.reason, code: 'task_failed' } : undefined,
    usage:
      view.state === roles.success && tokens !== undefined
        ? { completion_tokens: tokens, total_tokens: tokens }
        : undefined,
    metadata: view.state === roles.success ? { url: `${origin}/v1/videos/${id}/content` } : undefined,
  }
}
