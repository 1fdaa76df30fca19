import { inOnePiece } from '../../engine/one-piece.ts'
import type { Task } from '../../engine/tasks.ts'
import type { TaskView } from '../../engine/timeline.ts'
import { toSeconds, upstreamStatus } from './words.ts'

/** What a task was last seen as, and by whom it was asked for. */
interface Seen {
  readonly view: TaskView
  readonly origin: string
  readonly body: string
}

/**
 * The bodies of polls. Clients ask again and again while nothing changes, and are then given the same text again.
 */
export class PollBodies {
  readonly #most = 1_000
  readonly #latest = new Map<Task, Seen>()

  of(task: Task, view: TaskView, origin: string): string {
    const seen = this.#latest.get(task)
    if (seen && seen.origin === origin && looksTheSame(seen.view, view)) return seen.body
    const body = inOnePiece(pollBody(task, view, origin))
    if (!seen && this.#latest.size >= this.#most) this.#latest.clear()
    this.#latest.set(task, { view, origin, body })
    return body
  }
}

/** A task that was changed from outside is another object; of the same, the state says all but the progress. */
function looksTheSame(one: TaskView, other: TaskView): boolean {
  return one.state === other.state && one.progress === other.progress && one.since === other.since
}

/**
 * §2.2, written out as it goes over the wire: polls are most of all requests, and this takes a third of the time
 * of building an object and turning it into JSON.
 *
 * @assumed §2.2 fields beyond task_id, status, progress, result_url and fail_reason are not shown; wire §3.2.
 */
function pollBody(task: Task, view: TaskView, origin: string): string {
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
      ? `"result_url":${JSON.stringify(`${origin}/v1/videos/${id}/content`)},`
      : '') +
    `"submit_time":${submitted},"start_time":${toSeconds(view.startedAt)},` +
    `"finish_time":${toSeconds(view.finishedAt)},"progress":"${view.progress}%",` +
    `"properties":{"input":"","upstream_model_name":${model},"origin_model_name":${model}},` +
    `"data":{"id":"video_${row}","object":"video","status":"${upstreamStatus(lifecycle, view)}",` +
    `"progress":${view.progress}}}}`
  )
}
