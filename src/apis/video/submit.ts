import { toUnixSeconds } from '../../engine/clock/duration.ts'
import * as z from 'zod/mini'
import { videoSettings } from './settings.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { videoTokens } from '../../gateway/accounts/prices.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { hintHeader } from '../../gateway/replies/reply.ts'
import { taskDirectives } from '../../scenario/directives.ts'
import { integer, unixSeconds } from '../define/operation-schema.ts'
import { must, named } from '../../scenario/schema/fields.ts'
import { defineOperation, describeRequest } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { receiveImages } from './image.ts'
import { videoForm } from './form.ts'
import { findModel, readVideoRequest, type VideoRequest } from './request.ts'
import { recordVideo, videoRequest, videoTaskForm, type TaskForm } from './task.ts'

/** @assumed §4.1 headers are undocumented; wire §1.3. */
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-New-Api-Other-Ratios': '{}' }

/** Submits a video (§4.1). */
export const videoSubmit = defineOperation(
  {
    name: 'video.submit',
    summary: 'Submit a video',
    role: 'submit',
    tasks: 'video',
    route: 'POST /v1/video/generations',
    form: videoForm,
    schema: () => ({ answer: { json: submittedVideo() } }),
  },
  (core: Core) => {
    const settings = core.use(videoSettings)

    return {
      describe: ({ body: { model, prompt } }) => describeRequest(model, prompt),
      ...(settings.promptDirectives && { directives: taskDirectives }),
      prepare: (body, media) => receiveImages(body, media, settings.imageLimitBytes),
      check: ({ body: { model } }) => void findModel(model, settings),
      parse: ({ prepared }, body) => readVideoRequest(body, prepared, settings),
      respond: (x, request) => {
        const task = submitVideo(x, request, core)
        return {
          status: 200,
          headers: { ...headers, ...adviceHeader(request) },
          body: submitBody(task),
          delayMs: 0,
        }
      },
    }
  },
)

/** The hint header about an unexpected length or size, if there is one. */
export function adviceHeader({ advice }: VideoRequest): Record<string, string> {
  return advice === undefined ? {} : hintHeader(advice)
}

/**
 * Submits a task. Its price is reserved; a failed task returns it.
 *
 * @param how `remixedFrom` is the id of the original video, for a remix; `form` is that of the tasks of another API.
 * @throws {GatewayError} for a key that can't pay.
 */
export function submitVideo(
  x: Exchange,
  request: VideoRequest,
  core: Core,
  { remixedFrom, form = videoTaskForm }: { readonly remixedFrom?: string; readonly form?: TaskForm } = {},
): Task {
  const { model, seconds, size } = request
  const framesPerSecond = core.use(videoSettings).framesPerSecond.full
  // With the spread first, V8 would create a hidden class for each request.
  const tokens = { input: 0, output: videoTokens({ seconds, framesPerSecond, ...size }) }
  const quota = x.billing.quotaFor(model, { task: true, seconds, tokens })
  const shortage = x.account.shortage(quota, x.now)
  if (shortage) throw form.unpaid(shortage)
  const task = x.tasks.submit(
    recordVideo(x, request, core, { quota, tokens: tokens.output, remixedFrom }, form),
  )
  x.charge({ quota, task, seconds })
  x.entry.task = task.record.id
  return task
}

/**
 * The body of the response (§2.1). `created_at` is the gateway's own addition (wire §3.1), in seconds like all times of
 * this API.
 */
function submitBody(task: Task): string {
  const { id, submittedAt } = task.record
  return JSON.stringify({
    id,
    task_id: id,
    object: 'video',
    model: videoRequest(task).model,
    status: 'queued',
    progress: 0,
    created_at: toUnixSeconds(submittedAt),
  })
}

function submittedVideo(): z.ZodMiniType {
  return named(
    'SubmittedVideo',
    z.object({
      id: z.string(),
      task_id: z.string(),
      object: z.literal('video'),
      model: z.string(),
      status: must(z.string(), 'Always `queued`, unless a rule says otherwise.'),
      progress: integer,
      created_at: unixSeconds,
    }),
    'The task of an accepted request (§2.1).',
  )
}
