import type * as z from 'zod/v4/core'
import { ReplyAnswer } from './answer.ts'
import type {
  Answer,
  ApiOperation,
  CancelOptions,
  DownloadOptions,
  ListOptions,
  PollOptions,
  RemoveOptions,
  SubmitOptions,
} from './definition.ts'
import { Refused, type RefusalKind } from './refused.ts'

/**
 * Defines an operation that makes a job.
 *
 * @param operation its route, the schema of its body, the job of a body, and the reply.
 *
 * @example
 * const create = submit({
 *   route: 'POST /v2/jobs',
 *   status: 202,
 *   body: z.object({ text: z.string(), length: z.number().optional() }),
 *   job: ({ body }) => ({ model: 'acme-1', prompt: body.text, seconds: body.length }),
 *   reply: (job) => ({ id: job.id }),
 * })
 */
export function submit<Schema extends z.$ZodType>(operation: SubmitOptions<Schema>): ApiOperation {
  return { ...operation, role: 'submit' }
}

/**
 * Defines an operation that returns the state of a job.
 *
 * @example
 * const get = poll({ route: 'GET /v2/jobs/{id}', reply: ({ id, status, url }) => ({ id, status, url }) })
 */
export function poll(operation: PollOptions): ApiOperation {
  return { ...operation, role: 'poll' }
}

/**
 * Defines an operation that returns more of a job than its state, such as its result.
 *
 * @example
 * const output = result({
 *   route: 'GET /v2/jobs/{id}/output',
 *   reply: (job) => (job.hasSucceeded ? { video: job.url } : answer(409, { state: job.status })),
 * })
 */
export function result(operation: PollOptions): ApiOperation {
  return { ...operation, role: 'result' }
}

/**
 * Defines an operation that ends a job early.
 *
 * @example
 * const end = cancel({
 *   route: 'DELETE /v2/jobs/{id}',
 *   reply: (job, { hasEnded }) => (hasEnded ? answer(409, { state: job.status }) : answer(204)),
 * })
 */
export function cancel(operation: CancelOptions): ApiOperation {
  return { ...operation, role: 'cancel' }
}

/**
 * Defines an operation that sends the file of a job. An API without one gets one at a path of its own.
 *
 * @example
 * const file = download({ route: 'GET HEAD /files/{id}/video.mp4', expires: '24h' })
 */
export function download(operation: DownloadOptions): ApiOperation {
  return { ...operation, role: 'download' }
}

/**
 * Defines an operation that forgets a job of the same key.
 *
 * @example
 * const forget = remove({ route: 'DELETE /v2/jobs/{id}', reply: ({ id }) => ({ id, deleted: true }) })
 */
export function remove(operation: RemoveOptions): ApiOperation {
  return { ...operation, role: 'remove' }
}

/**
 * Defines an operation that lists the jobs of a key in pages.
 *
 * @example
 * const all = pages({ route: 'GET /v2/jobs', reply: ({ id, status }) => ({ id, status }) })
 */
export function pages(operation: ListOptions): ApiOperation {
  return { ...operation, role: 'list' }
}

/**
 * Makes a refusal in the envelope of the API, which functions of a definition return or throw.
 *
 * @param kind the refusal of `refusals` that it is. Default `invalidBody`.
 * @param hint what to do instead, for the hint header.
 *
 * @example
 * const noVoice = refusal('There is no such voice')
 */
export function refusal(message: string, kind?: RefusalKind, hint?: string): Refused {
  return new Refused(message, kind, hint)
}

/**
 * Makes a reply with another status than that of its operation, or with headers.
 *
 * @param status such as 202.
 * @param body a value for JSON, `job.file`, or nothing for a reply without a body.
 *
 * @example
 * const busy = answer(409, { detail: 'The job is still running' }, { 'retry-after': '5' })
 * busy.status // → 409
 */
export function answer(
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return new ReplyAnswer(status, body, headers)
}
