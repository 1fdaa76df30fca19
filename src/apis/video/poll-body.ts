import type { Task } from '../../engine/tasks/tasks.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'
import { toSeconds, upstreamStatus } from './words.ts'

/**
 * §2.2, written out as it goes over the wire: polls are most of all requests, and this takes a third of the time
 * of building an object and turning it into JSON.
 *
 * @assumed §2.2 fields beyond task_id, status, progress, result_url and fail_reason are not shown; wire §3.2.
 */
export function pollBody(task: Task, view: TaskView, origin: string): string {
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
