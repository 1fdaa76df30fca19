import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { taskError, type GatewayError } from '../../gateway/replies/errors.ts'
import { jsonReply, type Reply } from '../../gateway/replies/reply.ts'
import type { Context, Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { taskDirectives } from '../../scenario/magic.ts'
import { describeVideo } from '../video/describe.ts'
import { receiveImages } from '../video/image.ts'
import type { VideoRequest } from '../video/request.ts'
import type { VideoSettings } from '../video/settings.ts'
import { submitVideo } from '../video/submit.ts'
import { readCreate, readRemix, withReference } from './request.ts'
import { videoRecord } from './view.ts'

/**
 * OpenAI's Videos API over the same tasks: an id made by either API is read by both, and content is served by the
 * one route that both share.
 */
export function openaiVideoRoutes(
  settings: VideoSettings,
  lifecycle: Lifecycle,
  onSubmit: (task: Task) => void,
): Route[] {
  const submit = (request: VideoRequest, context: Context, remixedFrom?: string): Reply => {
    const task = submitVideo(request, context, lifecycle, settings, remixedFrom)
    onSubmit(task)
    return jsonReply(200, videoRecord(task, context.tasks.view(task, context.viewedAt), context.origin))
  }

  return [
    defineOperation('videos.create', {
      describe: describeVideo,
      ...(settings.promptDirectives && { directives: taskDirectives }),
      prepare: (body, media) => receiveImages(withReference(body), media, settings.imageLimitBytes),
      validate: ({ body, prepared }) => readCreate(body, prepared, settings),
      respond: (request, context) => submit(request, context),
    }),
    defineOperation('videos.retrieve', {
      task: { unknown: () => unknownTask() },
      respond: (_checked, { task, tasks, now, origin, journal }) => {
        const view = tasks.view(task!, now)
        journal.shown = view.state
        return jsonReply(200, videoRecord(task!, view, origin))
      },
    }),
    defineOperation('videos.remix', {
      task: { unknown: () => unknownTask('task_origin_not_exist') },
      ...(settings.promptDirectives && { directives: taskDirectives }),
      describe: ({ prompt }, task) =>
        describeVideo({ prompt, ...(task && { model: String(task.record.request['model']) }) }),
      prepare: async (body) => ({ prepared: undefined, fields: body }),
      validate: ({ body }, task) => readRemix(body, task!, settings),
      respond: (request, context) => submit(request, context, context.task!.record.id),
    }),
  ]
}

/** @assumed §7 the answer to an unknown video is not shown; wire §4.2 and §4.3. */
function unknownTask(message = 'task_not_exist'): GatewayError {
  return taskError(400, 'task_not_exist', message)
}
