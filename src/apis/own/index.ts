/**
 * All of zod, for schemas of bodies.
 *
 * @example
 * z.object({ prompt: z.string().min(1) }).safeParse({ prompt: '' }).success // → false
 */
import * as z from 'zod'
import { registerApi } from '../define/own-apis.ts'
import { ReplyAnswer } from './answer.ts'
import { toApi } from './api.ts'
import { checkDefinition } from './check.ts'
import type {
  Answer,
  ApiDefinition,
  ApiOperation,
  CancelOptions,
  DownloadOptions,
  PollOptions,
  SubmitOptions,
} from './definition.ts'

export { z }
export type { OwnApis } from '../../engine/operations/own-api.ts'
export { ApiError } from './check.ts'
export type { Job } from './job.ts'
export type {
  Answer,
  ApiDefinition,
  ApiOperation,
  Call,
  CancelOptions,
  DownloadOptions,
  JobRequest,
  PollOptions,
  Refusal,
  SubmitOptions,
} from './definition.ts'

/**
 * Defines an API of asynchronous jobs. Give the result to a simulator as one of its `apis`, or make it the default export
 * of a file. Experimental.
 *
 * @param definition its name, states, envelope and operations.
 * @returns the same definition.
 * @throws {ApiError} for the first mistake in it.
 *
 * @example
 * const body = z.object({ model: z.string(), prompt: z.string() })
 * const acme = defineApi({
 *   name: 'acme',
 *   states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
 *   error: ({ message }) => ({ oops: message }),
 *   operations: {
 *     draw: submit({ route: 'POST /jobs', body, job: (call) => call.body, reply: (job) => job.id }),
 *     get: poll({ route: 'GET /jobs/{id}', reply: (job) => [job.status, job.url] }),
 *   },
 * })
 * createSimulator({ apis: [acme] }).core.operations.submissions.includes('acme.draw') // → true
 */
export function defineApi<const Definition extends ApiDefinition>(definition: Definition): Definition {
  checkDefinition(definition)
  registerApi(definition, toApi(definition))
  return definition
}

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
export function submit<Schema extends z.ZodType>(operation: SubmitOptions<Schema>): ApiOperation {
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
