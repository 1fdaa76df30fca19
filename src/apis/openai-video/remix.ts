import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { taskDirectives } from '../../scenario/directives.ts'
import { named } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { defineOperation, describeRequest } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { readVideoRequest, type VideoRequest } from '../video/request.ts'
import { videoSettings, type VideoSettings } from '../video/settings.ts'
import { submitVideo } from '../video/submit.ts'
import { imagesOf, requestedClip, videoRequest } from '../video/task.ts'
import { describeVideoAnswer, unknownVideo, videoRecord } from './retrieve.ts'

const newPrompt = once(() => z.string().check(z.regex(/\S/)))

const remixForm = defineForm(
  () => named('RemixRequest', z.object({ prompt: newPrompt() }), 'A new prompt for an old video.'),
  ({ field }) => taskError(400, 'invalid_request', `field ${field} is required`),
  { takesMultipart: true },
)

/** Creates a video from an old one and another prompt. */
export const videosRemix = defineOperation(
  {
    name: 'videos.remix',
    summary: 'Remix a video',
    role: 'submit',
    tasks: 'video',
    route: 'POST /v1/videos/{task_id}/remix',
    task: 'task_id',
    form: remixForm,
    schema: describeVideoAnswer,
  },
  (core: Core) => {
    const settings = core.use(videoSettings)

    return {
      task: { unknown: () => unknownVideo('task_origin_not_exist') },
      ...(settings.promptDirectives && { directives: taskDirectives }),
      describe: ({ body: { prompt }, task }) => describeRequest(task && videoRequest(task).model, prompt),
      prepare: async (body) => ({ prepared: undefined, fields: body }),
      parse: ({ task }, { prompt }) => readRemix(prompt, task!, settings),
      respond: (x, request) => {
        const task = submitVideo(x, request, core, { remixedFrom: x.task!.record.id })
        return jsonReply(200, videoRecord(task, x.tasks.view(task, x.now), x.origin, core))
      },
    }
  },
)

/**
 * The request of a remix: a new prompt for an old video. Model, size and length stay the same.
 *
 * @assumed §4.1 remix is undocumented; wire §4.3.
 */
function readRemix(prompt: string, original: Task, settings: VideoSettings): VideoRequest {
  const { model, seed, seconds: renderedSeconds, width, height } = requestedClip(original)
  const stored = videoRequest(original)
  const request = readVideoRequest({ model, prompt }, [], { ...settings, models: [] })
  return {
    ...request,
    seconds: stored.seconds,
    size: { width: stored.width, height: stored.height },
    rendered: { seconds: renderedSeconds, width, height },
    images: imagesOf(stored),
    seed,
    action: 'remixGenerate',
  }
}
