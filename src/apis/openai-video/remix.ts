import type { JsonObject } from '../../gateway/bodies/json.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { taskDirectives } from '../../scenario/magic.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'
import { readVideoRequest, type VideoRequest } from '../video/request.ts'
import { videoSettings, type VideoSettings } from '../video/settings.ts'
import { describeVideo, submitVideo } from '../video/submit.ts'
import { imagesOf, requestedClip } from '../video/task.ts'
import { unknownVideo, videoRecord } from './retrieve.ts'

/** Creates a video from an old one and another prompt. */
export const videosRemix = defineOperation(
  {
    name: 'videos.remix',
    role: 'submit',
    tasks: 'video',
    route: 'POST /v1/videos/{task_id}/remix',
    task: 'task_id',
  },
  (deps: ApiDeps) => {
    const settings = deps.use(videoSettings)

    return {
      task: { unknown: () => unknownVideo('task_origin_not_exist') },
      ...(settings.promptDirectives && { directives: taskDirectives }),
      describe: ({ body: { prompt }, task }) =>
        describeVideo({ body: { prompt, ...(task && { model: String(task.record.request['model']) }) } }),
      prepare: async (body) => ({ prepared: undefined, fields: body }),
      parse: ({ body, task }) => readRemix(body, task!, settings),
      respond: (x, request) => {
        const task = submitVideo(x, request, deps, x.task!.record.id)
        return jsonReply(200, videoRecord(task, x.tasks.view(task, x.now), x.origin, deps))
      },
    }
  },
)

/**
 * Checks a remix: a new prompt for an old video. Model, size and length stay the same.
 *
 * @assumed §4.1 remix is undocumented; wire §4.3.
 * @throws {GatewayError} for a missing prompt.
 */
function readRemix(body: JsonObject, original: Task, settings: VideoSettings): VideoRequest {
  const { prompt } = body
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw taskError(400, 'invalid_request', 'field prompt is required')
  }
  const { model, seed, seconds: renderedSeconds, width, height } = requestedClip(original)
  const { seconds, width: givenWidth, height: givenHeight } = original.record.request
  const request = readVideoRequest({ model, prompt }, [], { ...settings, models: [] })
  return {
    ...request,
    seconds: Number(seconds),
    size: { width: Number(givenWidth), height: Number(givenHeight) },
    rendered: { seconds: renderedSeconds, width, height },
    images: imagesOf(original.record.request),
    seed,
    action: 'remixGenerate',
  }
}
