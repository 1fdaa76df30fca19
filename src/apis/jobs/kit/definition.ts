import type * as z from 'zod/v4/core'
import type { AnswerSchema } from '../../define/operation-schema.ts'
import type { Interval } from '../../../engine/operations/facts.ts'
import type { DurationSpec } from '../../../engine/random/distribution.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { Job, JobMedium, JobStates } from '../job/job.ts'
import type { Answer, Call, CallWords, JobRequest } from './call.ts'
import type { WebhookOptions } from './webhook.ts'
import type { Refused } from './refused.ts'

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

/** A form of zod that is made on first use, and that reads multipart bodies, too. */
export interface BodyForm<Schema extends z.$ZodType> {
  readonly schema: Schema
  readonly read: (fields: JsonObject, isText?: boolean) => z.output<Schema>
}

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
> extends OperationBase {
  /** The schema of the body, by `z`. A body that doesn't fit is refused in the vendor's envelope. */
  readonly body: Schema | BodyForm<Schema>
  /**
   * Returns the images of a body, at most 16: data URLs, base64 or URLs; or by the names of their fields, which refusals then name.
   * The body has not been checked yet.
   */
  readonly images?: (body: JsonObject) => readonly unknown[] | Readonly<Record<string, unknown>>
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
  /** Whether it begins from a job that its path names, as a remix does: `call.parent`, and later `job.parent`. */
  readonly ofJob?: boolean
  /**
   * Returns what the job is to make; or an `answer` that refuses the request, before a job exists. Must be pure: the same
   * call gives the same job.
   */
  readonly job: (call: Call<z.output<Schema>, Words>) => JobRequest | Answer | Refused
  /** Returns what the client gets: a value for JSON, or an `answer`. */
  readonly reply: Reply<Call<z.output<Schema>, Words>, Words>
}

/** As {@link SubmitOptions}, for a schema that is not known any more. */
export interface SubmitOperation extends OperationBase {
  readonly role: 'submit'
  readonly body: z.$ZodType | BodyForm<z.$ZodType>
  readonly images?: SubmitOptions['images']
  readonly reads?: SubmitOptions['reads']
  readonly idempotency?: SubmitOptions['idempotency']
  readonly ofJob?: boolean
  readonly job: (call: Call<never>) => JobRequest | Answer | Refused
  readonly reply: Reply<Call<never>>
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

/**
 * An operation that sends the file of a job.
 *
 * @example
 * const options: DownloadOptions = { route: 'GET HEAD /v2/files/{id}', makes: 'image', isPublic: false }
 */
export interface DownloadOptions<Words extends CallWords = CallWords> extends OperationBase {
  /** The media that it is for, if an API has several downloads. Default: all. */
  readonly makes?: JobMedium
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
 * An operation without a job, such as an upload or the registration of a webhook.
 *
 * @example
 * const options: CallOptions = { route: 'GET /v2/me', reply: ({ header }) => ({ agent: header('user-agent') }) }
 */
export interface CallOptions<
  Schema extends z.$ZodType = z.$ZodType,
  Words extends CallWords = CallWords,
> extends OperationBase {
  /** The schema of the body, by `z`. Default: without a body. */
  readonly body?: Schema
  /** Returns what the client gets: a value for JSON, or an `answer`. */
  readonly reply: (call: Call<z.output<Schema>, Words>) => unknown
}

/**
 * An operation with its role, as `submit`, `poll`, `result`, `cancel` and `download` return it.
 *
 * @example
 * const operations: Record<string, ApiOperation> = {
 *   get: poll({ route: 'GET /v2/jobs/{id}', reply: (job) => ({ state: job.status }) }),
 * }
 */
export type ApiOperation =
  | SubmitOperation
  | (PollOptions & { readonly role: 'poll' | 'result' })
  | (CancelOptions & { readonly role: 'cancel' })
  | (RemoveOptions & { readonly role: 'remove' })
  | (ListOptions & { readonly role: 'list' })
  | (DownloadOptions & { readonly role: 'download' })
  | (Omit<CallOptions, 'reply'> & { readonly role: 'call'; readonly reply: (call: Call<never>) => unknown })

/**
 * Why a request is refused, for the envelope of the vendor.
 *
 * @example
 * const envelope = ({ status, message }: Refusal) => ({ detail: message, status })
 */
export interface Refusal {
  /** Of the response, unless `error` returns an `answer` with another one. */
  readonly status: number
  /** Such as `quota_not_enough`; empty if there is none. */
  readonly code: string
  /** What is wrong, and what to send instead. */
  readonly message: string
  /** What is wrong in the body, by path. */
  readonly issues: readonly { readonly path: readonly (string | number)[]; readonly message: string }[]
}

/**
 * What `error` may read of a refused request, besides the refusal.
 *
 * @example
 * const envelopeOf = ({ message }: Refusal, { isGateways, usual }: Refusing) =>
 *   isGateways ? usual : { message }
 */
export interface Refusing {
  /** The key of the operation. */
  readonly operation: string
  /** Whether the gateway refuses, before the API: for a key, a model, a path, a rate. */
  readonly isGateways: boolean
  /** The refusal in the gateway's own envelope. */
  readonly usual: Answer
}

/** A refusal: its status, or more of it. `{status}` in a message is the state of the job. */
export type RefusalWords =
  | number
  | { readonly status: number; readonly code?: string; readonly message?: string }

/**
 * How requests are refused.
 *
 * @example
 * const refusals: Refusals = { invalidBody: 400, noResult: { status: 425, message: 'It is {status}' } }
 */
export interface Refusals {
  /** A body that does not fit its schema. Default 422. */
  readonly invalidBody?: RefusalWords
  /** A size that the model does not make. Default: as `invalidBody`. */
  readonly invalidSize?: RefusalWords
  /** A length that the model does not make. Default: as `invalidBody`. */
  readonly invalidSeconds?: RefusalWords
  /** A job that does not exist. Default 404. */
  readonly unknownJob?: RefusalWords
  /** A download before the job has succeeded. Default 404. */
  readonly noResult?: RefusalWords
  /** A download after `expires`, or by a link after `linkExpires`. Default: the status of `noResult`. */
  readonly expired?: RefusalWords
  /** An idempotency key that a request with another body had. Default 409. */
  readonly reusedKey?: RefusalWords
}

/**
 * A way in which gateways of this kind differ: the config chooses one of its values.
 *
 * @example
 * const links: QuirkDefinition = { values: ['plain', 'nested'], description: 'How replies have links.' }
 */
export interface QuirkDefinition {
  /** The first is the default. */
  readonly values: readonly [string, string, ...string[]]
  readonly description: string
  /** The values of named profiles. */
  readonly profiles?: Readonly<Record<string, string>>
  /** Tries clients with the last value: the operation that it matters to, and what a good client does. */
  readonly variant?: {
    readonly id: string
    readonly operation: string
    readonly advice: string
    /** Whether a client of this API can't be blamed for not knowing it: explorations only advise. */
    readonly isUnread?: boolean
  }
}

/**
 * The definition of an API of asynchronous jobs.
 *
 * @example
 * const rename = (definition: ApiDefinition, name: string): ApiDefinition => defineApi({ ...definition, name })
 */
export interface ApiDefinition {
  /** 1 to 31 lower-case letters, digits or "-". Rules call its operations `name.key`. */
  readonly name: string
  /** For people, such as `Replicate`. Default: the name. */
  readonly title?: string
  /**
   * Change it when stored jobs of an earlier definition can't be read by this one. Snapshots and stored states contain it.
   * Default 1.
   */
  readonly version?: number
  /** What the names of its operations begin with. Default: the name. */
  readonly prefix?: string
  /** The API whose jobs it serves, too: their kind, ids and files. `states` are the same. */
  readonly jobsOf?: ApiDefinition
  /** The vendor's words for the states of a job, each a different one. Without `cancelled`, a cancelled job has failed. */
  readonly states: JobStates
  /** What jobs make, unless `job` says otherwise. Default `video`. */
  readonly makes?: JobMedium
  /** How long a job is queued, and how long the work takes. `timing` of the config overrides it. */
  readonly timing?: { readonly queued?: DurationSpec; readonly render?: DurationSpec }
  /** The progress at which the work begins. Default 0. */
  readonly beginsAt?: number
  /** The length and the size of a request without them, unless the config does not take them. */
  readonly defaults?: { readonly seconds?: number; readonly size?: string }
  /** The sizes that a model takes; undefined for any. */
  readonly sizesOf?: (model: string) => readonly string[] | undefined
  /** The media type of JSON. Default `application/json`. */
  readonly contentType?: string
  /** The ways in which it may differ. */
  readonly quirks?: Readonly<Record<string, QuirkDefinition>>
  /** Another word for the state of a job, and another progress; undefined for those of `states`. */
  readonly shows?: (
    job: Job,
    quirks: Call['quirks'],
  ) => { readonly status: string; readonly progress: number } | undefined
  /** The form of ids: `uuid`, or how many of which characters after a prefix. Default: 32 letters and digits. */
  readonly id?: 'uuid' | { readonly prefix?: string; readonly length: number; readonly of?: string }
  /** The parameter of paths that is the id. Default `id`. */
  readonly idParameter?: string
  /** Where keys are, in addition to `Authorization: Bearer KEY`. */
  readonly keys?: {
    /**
     * Valid keys match it, instead of beginning with `sk-`. Those that greenroom gives to clients stay valid: `sk-greenroom`
     * and `sk-sim-NAME`. Configured `keys` replace the form.
     */
    readonly like?: RegExp
    /** Other schemes of `Authorization`, such as `Token`. */
    readonly schemes?: readonly string[]
    /** Headers with a key. */
    readonly headers?: readonly string[]
    /** A parameter of the query with a key. */
    readonly query?: string
    /**
     * Returns the account of a key, if clients make a new key for each request. Must be pure. Configured `keys` may be
     * accounts. Default: the issuer and the subject of a JSON Web Token, the access key of an AWS signature, or the key.
     */
    readonly account?: (key: string) => string
  }
  /**
   * Unknown paths under these are refused in the envelope. Default: what routes begin with. Other unknown paths are, if they
   * resemble a route of this API more than one of any other.
   */
  readonly prefixes?: readonly string[]
  /** The statuses of refusals. */
  readonly refusals?: Refusals
  /**
   * Refuses a request of any operation before its job, body and path are checked, such as one without a version header: returns an
   * `answer` or a `refusal`, or undefined to go on. Downloads without a key are not checked.
   */
  readonly before?: (call: Call) => Answer | Refused | undefined
  /**
   * Returns the body of a refusal: the vendor's envelope. An `answer` sets another status, such as `answer(200, …)`. Default:
   * `{ error: { message, code } }`.
   */
  readonly error?: (refusal: Refusal, about: Refusing) => unknown
  /** Posts changes of jobs to clients, as the operation `name.webhook`. */
  readonly webhook?: WebhookOptions
  /** The operations by their names, in lower case. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}
