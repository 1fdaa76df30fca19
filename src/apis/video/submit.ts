import { videoSettings } from './settings.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { videoTokens } from '../../gateway/accounts/prices.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { hintHeader } from '../../gateway/replies/reply.ts'
import { taskDirectives } from '../../scenario/magic.ts'
import { defineOperation, type ApiDeps, type Description } from '../define/operation.ts'
import { receiveImages } from './image.ts'
import { readVideoRequest, type VideoRequest } from './request.ts'
import { toSeconds } from './poll.ts'
import { recordVideo } from './task.ts'

/** @assumed §4.1 headers are undocumented; wire §1.3. */
const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-New-Api-Other-Ratios': '{}' }

/** Submits a video (§4.1). */
export const videoSubmit = defineOperation(
  { name: 'video.submit', role: 'submit', tasks: 'video', route: 'POST /v1/video/generations' },
  (deps: ApiDeps) => {
    const settings = deps.use(videoSettings)

    return {
      describe: describeVideo,
      ...(settings.promptDirectives && { directives: taskDirectives }),
      prepare: (body, media) => receiveImages(body, media, settings.imageLimitBytes),
      parse: ({ body, prepared }) => readVideoRequest(body, prepared, settings),
      respond: (x, request) => {
        const task = submitVideo(x, request, deps)
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

/** The facts about a submission for rules and the journal. */
export function describeVideo({ body: { model, prompt } }: Pick<Exchange, 'body'>): Description {
  return {
    model: typeof model === 'string' ? model : undefined,
    prompt: typeof prompt === 'string' ? prompt : undefined,
  }
}

/**
 * Submits a task. Its price is reserved; a failed task returns it.
 *
 * @param remixedFrom the id of the original video, for a remix.
 * @throws {GatewayError} for a key that can't pay.
 */
export function submitVideo(x: Exchange, request: VideoRequest, deps: ApiDeps, remixedFrom?: string): Task {
  const { model, seconds, size } = request
  const framesPerSecond = deps.use(videoSettings).framesPerSecond.full
  const tokens = { input: 0, output: videoTokens({ ...size, seconds, framesPerSecond }) }
  const quota = x.billing.quotaFor(model, { task: true, seconds, tokens })
  const shortage = x.account.shortage(quota, x.now)
  if (shortage) throw taskError(403, shortage.code, shortage.message)
  const task = x.tasks.submit(recordVideo(x, request, deps, { quota, tokens: tokens.output, remixedFrom }))
  x.charge({ quota, task, seconds })
  x.entry.task = task.record.id
  deps.onSubmit(task)
  return task
}

/**
 * The body of the response (§2.1). `created_at` is the gateway's own addition (wire §3.1), in seconds like all times of
 * this API.
 */
function submitBody({ id, record: { request, submittedAt } }: Task): string {
  return (
    `{"id":"${id}","task_id":"${id}","object":"video","model":${JSON.stringify(request['model'])},` +
    `"status":"queued","progress":0,"created_at":${toSeconds(submittedAt)}}`
  )
}
