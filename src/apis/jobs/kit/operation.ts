import type * as z from 'zod/v4/core'
import type { GatewayError } from '../../../gateway/replies/errors.ts'
import type { Form } from '../../define/form.ts'
import type { AnswerSchema, ExampleRequest } from '../../define/operation-schema.ts'
import type { Interval, RequestMatch } from '../../../engine/operations/facts.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Job } from '../job/job.ts'
import type { JobMedium } from '../job/stored-job.ts'
import type { Call, CallWords, StoringCall } from './call.ts'
import type { Refusals } from './refused.ts'
import type { UploadedFile } from '../job/uploaded-file.ts'

/** What a function returns; no value fits if it is async. The compiler shows the text. */
export type NotAsync<Sent> =
  Sent extends PromiseLike<unknown> ? "Functions of a definition can't be async" : Sent

/** Makes the body of a reply: a value for JSON, an `answer`, or `job.file` for the bytes of the result. */
export type Reply<Request, Words extends CallWords = CallWords, Sent = unknown> = (
  job: Job<Words['status']>,
  call: Request,
) => Sent & NotAsync<Sent>

/** The keys of every operation. */
export interface OperationBase {
  /**
   * The methods and the path, such as `GET /v1/predictions/{id}`. `{id}` is the id of a job. It can be in the query:
   * `GET /v1/query?task_id={id}`. A parameter may have an ending, such as `{id}:cancel` or `{id}.mp3`. Clients may percent-encode any
   * character.
   */
  readonly route: string
  /**
   * Which requests at the route are of this operation, if others have the same one: those with all of these headers and parameters of
   * the query, such as `{ header: { 'x-amz-target': 'AWSStepFunctions.StartExecution' } }`. Default: all.
   */
  readonly match?: RequestMatch
  /** Other paths of the operation, with the same methods. */
  readonly also?: readonly string[]
  /** A few words for the OpenAPI document. */
  readonly summary?: string
  /** The status of a success. Default 200. */
  readonly status?: number
  /** Whether it needs no key. Default: only downloads need none. */
  readonly isPublic?: boolean
  /** Its own refusals. Default: those of the API. */
  readonly refusals?: Refusals
  /** The media type of its replies, instead of that of the API: of JSON, JSON Lines (a list), or a text. */
  readonly contentType?: string
  /** The refusal of a body that is no JSON object, in an API of the gateway. */
  readonly malformed?: () => GatewayError
  /** The option without which it is not served. */
  readonly option?: string
  /** Whether golden exchanges show its replies: only those of the gateway's own APIs do. */
  readonly goldens?: true
  /** The schema of its replies, for the OpenAPI document. Default: made from the replies for a job in each state. */
  readonly answers?: () => NonNullable<AnswerSchema['json']>
}

/** The keys of every operation about jobs. */
export interface JobOperation<Words extends CallWords = CallWords> extends OperationBase {
  /**
   * Returns the id of the job, or one of its `aliases`, from the body, the query or elsewhere; or several ids, which `call.jobs` is for:
   * `({ query }) => query.get('ids')?.split(',')`. Those of no job are left out; a request without any job is refused. Default: the
   * parameter `{id}` of the route.
   */
  readonly id?: (call: Call<JsonObject, Words>) => unknown
  /** The request by which `check` tries it, if `id` is a function: in it, `{id}` is the id of a job, such as `{ query: { file_id: '{id}' } }`. */
  readonly example?: ExampleRequest
  /** Returns what the client gets if the id is that of a file that it uploaded. Default: no such job. */
  readonly uploaded?: (file: UploadedFile, call: StoringCall<JsonObject, Words>) => unknown
}

/**
 * What replies about jobs read of a request.
 *
 * @example
 * const states = (_job: Job, { jobs }: JobCall) => jobs.map(({ id, status }) => ({ id, status }))
 */
export type JobCall<Words extends CallWords = CallWords> = Call<JsonObject, Words> & {
  /** All jobs that the request names; the first is `job`. */
  readonly jobs: readonly Job<Words['status']>[]
  /** The number of the file that an alias in the request names, from 0. */
  readonly index: number
}

/**
 * An operation that returns the state of a job, or its result.
 *
 * @example
 * const options: PollOptions = { route: 'GET /v2/jobs/{id}', reply: (job) => ({ done: job.isDone }) }
 */
export interface PollOptions<
  Words extends CallWords = CallWords,
  Sent = unknown,
> extends JobOperation<Words> {
  /** How far apart two polls of a job should be, which `poll-interval` judges. Default: scenarios say it. */
  readonly interval?: Interval
  /** Returns what the client gets: a value for JSON, an `answer`, or `job.file` for the bytes of the result. */
  readonly reply: Reply<JobCall<Words>, Words, Sent>
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
export interface CancelOptions<
  Words extends CallWords = CallWords,
  Sent = unknown,
> extends JobOperation<Words> {
  /** `call.hasEnded` is whether the job had ended before, so that nothing changed. */
  readonly reply: Reply<JobCall<Words> & { readonly hasEnded: boolean }, Words, Sent>
}

/**
 * An operation that sends the file of a job.
 *
 * @example
 * const options: DownloadOptions = { route: 'GET HEAD /v2/files/{id}', makes: 'image', isPublic: false }
 */
export interface DownloadOptions<Words extends CallWords = CallWords> extends JobOperation<Words> {
  /** The media that it is for, if an API has several downloads: `{n}` then counts the files of this medium. Default: all. */
  readonly makes?: JobMedium
  /** Which of `aliases` its links have as `{id}`, such as `clip`: that of the file. Default: the id of the job. */
  readonly alias?: string
  /** How long after its end the file of a job can be downloaded, on the virtual clock. Default: without a limit. */
  readonly expires?: string
  /**
   * How long a link works after the reply that gave it, on the virtual clock. A later poll gives a new one.
   * `resultExpiresAfter` of the config overrides it. Default: as long as the file.
   */
  readonly linkExpires?: string
  /** Headers of the file. `call.made` is what is sent: `video`, `image`, or a still. */
  readonly headers?: (
    job: Job<Words['status']>,
    call: Call<JsonObject, Words> & { readonly made: string },
  ) => Readonly<Record<string, string>>
  /** Whether it sends images of unfinished jobs, too. Default: no. */
  readonly previews?: boolean
  /** Parameters of the query with a longest side in pixels, for a smaller image. */
  readonly sides?: readonly string[]
  /** The parameter of the query that selects a still of a video: `thumbnail` or `spritesheet`. */
  readonly stills?: { readonly parameter: string }
  /** Whether it redirects to a signed link, which works for 15 minutes and without a key. Default: never. */
  readonly redirects?: (call: Call<JsonObject, Words>) => boolean
  /** Whether it needs no key at present. Default: `isPublic`. */
  readonly isOpen?: (call: Pick<Call<JsonObject, Words>, 'quirks'>) => boolean
  /** The body of the response if the file can't be made. */
  readonly failed?: unknown
}

/**
 * An operation that forgets a job of the same key.
 *
 * @example
 * const options: RemoveOptions = { route: 'DELETE /v2/jobs/{id}', reply: () => answer(204) }
 */
export interface RemoveOptions<
  Words extends CallWords = CallWords,
  Sent = unknown,
> extends JobOperation<Words> {
  readonly reply: Reply<JobCall<Words>, Words, Sent>
}

/**
 * An operation that lists the jobs of a key in pages, as OpenAI's APIs do.
 *
 * @example
 * const options: PagesOptions = { route: 'GET /v2/jobs', reply: ({ id, status }) => ({ id, status }) }
 */
export interface PagesOptions<Words extends CallWords = CallWords, Sent = unknown> extends OperationBase {
  /** Writes a job of the list. */
  readonly reply: Reply<Call<JsonObject, Words>, Words, Sent>
  /** The least number of jobs of a page. Default 1. */
  readonly least?: number
  /** The form of the body of a list by ids. */
  readonly body?: Form<z.$ZodType>
  /** Returns ids: the reply is a plain list of their jobs. Unknown ones are left out. Default: pages of all jobs. */
  readonly ids?: (call: Call<never, Words>) => readonly string[]
}

/**
 * An operation that lists the jobs of a key, as its reply writes them.
 *
 * @example
 * const options: ListOptions = {
 *   route: 'GET /v2/jobs',
 *   filter: (job, { query }) => [null, job.status].includes(query.get('status')),
 *   page: ({ query }) => ({ limit: Number(query.get('limit') ?? 10), after: query.get('cursor') }),
 *   reply: (jobs, { next }) => ({
 *     items: jobs.map(({ id, status }) => ({ id, status })),
 *     cursor: next ?? null,
 *   }),
 * }
 */
export interface ListOptions<Words extends CallWords = CallWords, Sent = unknown> extends OperationBase {
  /** The request that `check` sends. Default: over POST, an empty object. */
  readonly example?: ExampleRequest
  /** Whether a job is listed. Default: all jobs of the key are. */
  readonly filter?: (job: Job<Words['status']>, call: Call<JsonObject, Words>) => boolean
  /** Which jobs come first. Default `newest`. */
  readonly order?: 'newest' | 'oldest'
  /** Returns the part of the list that a request selects. Default: all of it. */
  readonly page?: (call: Call<JsonObject, Words>) => JobPage
  /** Returns what the client gets of the jobs of the page: a value for JSON, or an `answer`. */
  readonly reply: (jobs: readonly Job<Words['status']>[], call: ListCall<Words>) => Sent & NotAsync<Sent>
}

/**
 * A part of a list of jobs. A limit or a number that is none is refused as `invalidBody`.
 *
 * @example
 * const page: JobPage = { limit: 20, from: 40 }
 */
export interface JobPage {
  /** How many jobs, at least 1. Default: all. */
  readonly limit?: number
  /** The id of the job before the first one, which `call.next` was. */
  readonly after?: string | null | undefined
  /** The number of the first job, from 0. Default 0. */
  readonly from?: number
}

/**
 * What the reply of a list reads of a request.
 *
 * @example
 * const cursorOf = ({ next, total }: ListCall) => ({ total, ...(next !== undefined && { cursor: next }) })
 */
export type ListCall<Words extends CallWords = CallWords> = Call<JsonObject, Words> & {
  /** How many jobs the list has, on all pages. */
  readonly total: number
  /** The id of the last job of the page, if others follow. */
  readonly next: string | undefined
}
