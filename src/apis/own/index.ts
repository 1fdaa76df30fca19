/**
 * All of zod, for schemas of bodies.
 *
 * @example
 * z.object({ prompt: z.string().min(1) }).safeParse({ prompt: '' }).success // → false
 */
import * as z from 'zod'
import { registerApi } from '../define/own-apis.ts'
import { toApi } from '../jobs/api.ts'
import { checkDefinition } from '../jobs/kit/check.ts'
import type { ApiDefinition } from '../jobs/kit/definition.ts'
import type { KnownKeys } from './known-keys.ts'

export { z }
export type { OwnApis } from '../../engine/operations/own-api.ts'
export { ApiError } from '../jobs/kit/check.ts'
export {
  answer,
  call,
  cancel,
  confirm,
  download,
  kitFor,
  list,
  pages,
  poll,
  refusal,
  remove,
  result,
  submit,
} from '../jobs/kit/operations.ts'
export { standardWebhooks } from '../jobs/kit/standard-webhooks.ts'
export type { WebhookChange, WebhookMessage, WebhookOptions } from '../jobs/kit/webhook.ts'
export type { SignMessage, SignedMessage } from '../../gateway/callbacks/plan.ts'
export type { Job } from '../jobs/job/job.ts'
export type { JobCourse } from '../jobs/job/course.ts'
export type { StateWords } from '../jobs/job/states.ts'
export type { JobFile } from '../jobs/job/job-file.ts'
export type { ApiDefinition, ApiOperation, IdOptions, QuirkDefinition } from '../jobs/kit/definition.ts'
export type { ExampleRequest } from '../define/operation-schema.ts'
export type {
  CancelOptions,
  DownloadOptions,
  JobCall,
  JobPage,
  ListCall,
  ListOptions,
  PagesOptions,
  PollOptions,
  RemoveOptions,
} from '../jobs/kit/operation.ts'
export type { Refusal, Refusals, Refusing } from '../jobs/kit/refused.ts'
export type { UploadedFile } from '../jobs/job/uploaded-file.ts'
export type { CallOptions, SubmitOptions } from '../jobs/kit/submission.ts'
export type { Answer } from '../jobs/kit/answer.ts'
export type {
  Call,
  CallAccount,
  CallModel,
  CallWords,
  FileRequest,
  JobRequest,
  StoringCall,
} from '../jobs/kit/call.ts'

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
export function defineApi<const Definition extends ApiDefinition>(
  definition: Definition & KnownKeys<Definition>,
): Definition {
  checkDefinition(definition)
  registerApi(definition, toApi(definition))
  return definition
}
