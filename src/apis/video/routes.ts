import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { PollBodies } from '../../gateway/replies/poll-bodies.ts'
import type { Quirks } from '../../gateway/quirks.ts'
import type { Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { taskDirectives } from '../../scenario/magic.ts'
import { contentRoute } from './content.ts'
import { describeVideo } from './describe.ts'
import { receiveImages } from './image.ts'
import { readVideoRequest } from './request.ts'
import type { VideoSettings } from './settings.ts'
import { submitVideo } from './submit.ts'
import { inGatewaysWords, toSeconds, upstreamStatus } from './words.ts'
import type { TaskView } from '../../engine/tasks/timeline.ts'

/** The video surface (§4.1–4.3): submit, poll, download. */
export function videoRoutes(
  settings: VideoSettings,
  lifecycle: Lifecycle,
  quirks: Quirks,
  onSubmit: (task: Task) => void,
): Route[] {
  return [submitRoute(settings, lifecycle, onSubmit), pollRoute(quirks), contentRoute(quirks)]
}

/** §4.1 */
function submitRoute(settings: VideoSettings, lifecycle: Lifecycle, onSubmit: (task: Task) => void): Route {
  return defineOperation('video.submit', {
    describe: describeVideo,
    ...(settings.promptDirectives && { directives: taskDirectives }),
    prepare: (body, media) => receiveImages(body, media, settings.imageLimitBytes),
    validate: ({ body, prepared }) => readVideoRequest(body, prepared, settings),
    respond: (request, context) => {
      const task = submitVideo(request, context, lifecycle, settings)
      onSubmit(task)
      return { status: 200, headers: submitHeaders, body: submitBody(task), delayMs: 0 }
    },
  })
}

/** §4.2 */
function pollRoute({ videoStatusStyle }: Quirks): Route {
  const bodies = new PollBodies((task, view, { origin }) => pollBody(task, view, origin))
  return defineOperation('video.poll', {
    task: {
      /** @assumed §7 the answer to an unknown task is not shown; wire §2.4. */
      unknown: () => taskError(400, 'task_not_exist', 'task_not_exist'),
    },
    respond: (_checked, context) => {
      const task = context.task!
      const plain = context.tasks.view(task, context.viewedAt)
      const view = videoStatusStyle === 'seed' ? plain : inGatewaysWords(task, plain, context.viewedAt)
      context.journal.shown = view.state
      return { status: 200, headers: pollHeaders, body: bodies.of(task, view, context), delayMs: 0 }
    },
  })
}

/** §2.1; `created_at` is the gateway's own addition (wire §3.1), in seconds as all times of this surface. */
function submitBody({ id, record: { request, submittedAt } }: Task): string {
  return (
    `{"id":"${id}","task_id":"${id}","object":"video","model":${JSON.stringify(request['model'])},` +
    `"status":"queued","progress":0,"created_at":${toSeconds(submittedAt)}}`
  )
}

/** @assumed §4.1 headers are not shown; wire §1.3. */
const submitHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-New-Api-Other-Ratios': '{}',
}

/** @assumed §4.2 the media type of the poll is not shown; wire §1.3: without a charset. */
const pollHeaders = { 'Content-Type': 'application/json' }

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
