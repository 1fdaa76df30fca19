import type * as z from 'zod/v4/core'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Form } from '../../define/form.ts'
import type { ExampleRequest } from '../../define/operation-schema.ts'
import type { Answer } from './answer.ts'
import type { Call, CallWords, FindFile, JobRequest, StoringCall } from './call.ts'
import type { NotAsync, OperationBase, Reply } from './operation.ts'
import type { Refused } from './refused.ts'

/**
 * An operation that makes a job.
 *
 * @example
 * const body = z.object({ prompt: z.string() })
 * const options: SubmitOptions<typeof body> = {
 *   route: 'POST /v2/jobs',
 *   body,
 *   job: (call) => ({ model: 'acme-1', prompt: call.body.prompt }),
 *   reply: (job) => ({ id: job.id }),
 * }
 */
export interface SubmitOptions<
  Schema extends z.$ZodType = z.$ZodType,
  Words extends CallWords = CallWords,
  Sent = unknown,
> extends OperationBase {
  /** The schema of the body, by `z`. A body that doesn't fit is refused in the vendor's envelope. */
  readonly body: Schema | Form<Schema>
  /**
   * Returns the images of a body, at most 16: data URLs, base64 or URLs; or by the names of their fields, which refusals then name.
   * The body has not been checked yet. An uploaded file is an image by `file(id)?.dataUrl`.
   */
  readonly images?: (
    body: JsonObject,
    uploads: { readonly file: FindFile },
  ) => readonly unknown[] | Readonly<Record<string, unknown>>
  /**
   * Returns what rules and the journal read of a body that has not been checked. Its model is refused before the body is.
   * Default: what `job` returns.
   */
  readonly reads?: (call: Call<JsonObject, Words>) => { readonly model?: unknown; readonly prompt?: unknown }
  /**
   * Where the idempotency key of a request is: a header, or a function of the call; undefined for no key. The second request with a
   * key gets the first reply; another body is refused by `reusedKey`. `idempotencyKeys` of the config is for other APIs.
   */
  readonly idempotency?: { readonly header: string } | ((call: Call<JsonObject, Words>) => string | undefined)
  /** The request by which `check` tries it. Default: a body that fits the schema. */
  readonly example?: ExampleRequest<z.input<Schema>>
  /** Whether it begins from a job that its path names, as a remix does: `call.parent`, and later `job.parent`. */
  readonly ofJob?: boolean
  /** Returns the id of that job from the body or elsewhere; undefined if the request begins from none. */
  readonly id?: (call: Call<JsonObject, Words>) => unknown
  /**
   * Returns what the job is to make; or an `answer` that refuses the request, before a job exists. Must be pure: the same
   * call gives the same job.
   */
  readonly job: (call: Call<z.output<Schema>, Words>) => JobRequest | Answer | Refused
  /** Returns what the client gets: a value for JSON, or an `answer`. */
  readonly reply: Reply<Call<z.output<Schema>, Words>, Words, Sent>
}

/** As {@link SubmitOptions}, for a schema that is not known any more. */
export interface SubmitOperation extends Omit<SubmitOptions, 'body' | 'example' | 'job' | 'reply'> {
  readonly body: z.$ZodType | Form<z.$ZodType>
  readonly example?: ExampleRequest
  readonly job: (call: Call<never>) => JobRequest | Answer | Refused
  readonly reply: Reply<Call<never>>
}

/**
 * An operation without a job, such as an upload or the registration of a webhook.
 *
 * @example
 * const options: CallOptions = { route: 'GET /v2/me', reply: ({ header }) => ({ agent: header('user-agent') }) }
 */
export interface CallOptions<
  Schema extends z.$ZodType = z.$ZodType,
  Words extends CallWords = CallWords,
  Sent = unknown,
> extends OperationBase {
  /** The schema of its body. Default: it has none. */
  readonly body?: Schema | Form<Schema>
  /**
   * Its role for rules and exploration. A client may repeat `list` and `read`, which change nothing. Default: `read` over GET,
   * otherwise `change`.
   */
  readonly does?: 'list' | 'read' | 'change'
  /**
   * Returns what rules and the journal read of a request that has not been checked. Of an API with jobs, its model is refused before
   * the body is. Default: nothing.
   */
  readonly reads?: SubmitOptions['reads']
  /** The media types of the bytes that it returns, for the OpenAPI document. Default: it returns JSON. */
  readonly sends?: readonly string[]
  /** As that of a submission. */
  readonly example?: ExampleRequest<z.input<Schema>>
  /** Returns the response: a value for JSON, an `answer`, or an uploaded file for its bytes. */
  readonly reply: (call: StoringCall<z.output<Schema>, Words>) => Sent & NotAsync<Sent>
}
