import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import { toSeconds, upstreamStatus } from '../video/words.ts'

/**
 * A task in the clothes of OpenAI's Videos API.
 *
 * @assumed §4.1 this dialect is not shown; wire §4.1 and §4.2: empty fields are left out, times are seconds.
 */
export function videoRecord(
  { record, lifecycle }: Task,
  view: TaskView,
  origin: string,
): Record<string, unknown> {
  const { id, request } = record
  const { roles } = lifecycle
  const failed = view.state === roles.failure
  return {
    id,
    task_id: id,
    object: 'video',
    model: request['model'],
    status: upstreamStatus(lifecycle, view),
    progress: view.progress,
    created_at: toSeconds(record.submittedAt),
    // JSON leaves out what is undefined, and the place among the others is promised.
    completed_at: view.final ? toSeconds(view.finishedAt) : undefined,
    seconds: String(request['seconds']),
    size: `${request['width']}x${request['height']}`,
    remixed_from_video_id: request['remixedFrom'],
    error: failed ? { message: view.reason, code: 'task_failed' } : undefined,
    metadata: view.state === roles.success ? { url: `${origin}/v1/videos/${id}/content` } : undefined,
  }
}
