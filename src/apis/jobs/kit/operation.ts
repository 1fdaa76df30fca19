import type { AnswerSchema } from '../../define/operation-schema.ts'
import type { Interval } from '../../../engine/operations/facts.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Job } from '../job/job.ts'
import type { Call, CallWords } from './call.ts'
import type { Refusals } from './refused.ts'

/** Makes the body of a reply: a value for JSON, an `answer`, or `job.file` for the bytes of the result. */
export type Reply<Request, Words extends CallWords = CallWords> = (
  job: Job<Words['status']>,
  call: Request,
) => unknown

/** The keys of every operation. */
export interface OperationBase {
  /**
   * The methods and the path, such as `GET /v1/predictions/{id}`. `{id}` is the id of a job. It can be in the query:
   * `GET /v1/query?task_id={id}`.
   */
  readonly route: string
  /** Other paths of the operation, with the same methods. */
  readonly also?: readonly string[]
  /** A few words for the OpenAPI document. */
  readonly summary?: string
  /** The status of a success. Default 200. */
  readonly status?: number
  /** Whether it needs no key. Default: only downloads need none. */
  readonly isPublic?: boolean
  /** Its own refusals, which those of the API are the default of. */
  readonly refusals?: Refusals
  /** The media type of its JSON, instead of that of the API. */
  readonly contentType?: string
  /** The option without which it is not served. */
  readonly option?: string
  /** The schema of its replies, for the OpenAPI document. Default: made from the replies for a job in each state. */
  readonly answers?: () => NonNullable<AnswerSchema['json']>
}

/**
 * An operation that returns the state of a job, or its result.
 *
 * @example
 * const options: PollOptions = { route: 'GET /v2/jobs/{id}', reply: (job) => ({ done: job.isDone }) }
 */
export interface PollOptions<Words extends CallWords = CallWords> extends OperationBase {
  /** How far apart two polls of a job should be, which `poll-interval` judges. Default: scenarios say it. */
  readonly interval?: Interval
  /** Returns what the client gets: a value for JSON, an `answer`, or `job.file` for the bytes of the result. */
  readonly reply: Reply<Call<JsonObject, Words>, Words>
}

/**
 * An operation that ends a job early.
 *
 * @example
 * const options: CancelOptions = {
 *   route: 'POST /v2/jobs/{id}/stop',
 *   reply: (_job, { hasEnded }) => ({ stopped: !hasEnded }),
 * }
 */
export interface CancelOptions<Words extends CallWords = CallWords> extends OperationBase {
  /** `call.hasEnded` is whether the job had ended before, so that nothing changed. */
  readonly reply: Reply<Call<JsonObject, Words> & { readonly hasEnded: boolean }, Words>
}

/**
 * An operation that forgets a job of the same key.
 *
 * @example
 * const options: RemoveOptions = { route: 'DELETE /v2/jobs/{id}', reply: () => answer(204) }
 */
export interface RemoveOptions<Words extends CallWords = CallWords> extends OperationBase {
  readonly reply: Reply<Call<JsonObject, Words>, Words>
}

/**
 * An operation that lists the jobs of a key in pages, as OpenAI's APIs do.
 *
 * @example
 * const options: ListOptions = { route: 'GET /v2/jobs', reply: ({ id, status }) => ({ id, status }) }
 */
export interface ListOptions<Words extends CallWords = CallWords> extends OperationBase {
  /** Writes a job of the list. */
  readonly reply: Reply<Call<JsonObject, Words>, Words>
  /** The least number of jobs of a page. Default 1. */
  readonly least?: number
}
