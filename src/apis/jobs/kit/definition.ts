import type { LifecycleDefinition } from '../../../engine/tasks/lifecycle.ts'
import type { DurationSpec } from '../../../engine/random/distribution.ts'
import type { Job } from '../job/job.ts'
import type { StateWords } from '../job/states.ts'
import type { JobMedium } from '../job/stored-job.ts'
import type { Answer } from './answer.ts'
import type { Call, StoringCall } from './call.ts'
import type { DownloadOptions } from './operation.ts'
import type { CancelOptions, ListOptions, PagesOptions, PollOptions, RemoveOptions } from './operation.ts'
import type { Refused } from './refused.ts'
import type { Refusal, Refusals, Refusing } from './refused.ts'
import type { CallOptions, SubmitOperation } from './submission.ts'
import type { WebhookOptions } from './webhook.ts'

/**
 * An operation with its role, as `submit`, `poll`, `result`, `cancel` and `download` return it.
 *
 * @example
 * const operations: Record<string, ApiOperation> = {
 *   get: poll({ route: 'GET /v2/jobs/{id}', reply: (job) => ({ state: job.status }) }),
 * }
 */
export type ApiOperation =
  | (SubmitOperation & { readonly role: 'submit' })
  | (SubmitOperation & { readonly role: 'confirm' })
  | (PollOptions & { readonly role: 'poll' | 'result' })
  | (CancelOptions & { readonly role: 'cancel' })
  | (RemoveOptions & { readonly role: 'remove' })
  | (ListOptions & { readonly role: 'list' })
  | (PagesOptions & { readonly role: 'pages' })
  | (DownloadOptions & { readonly role: 'download' })
  | (Omit<CallOptions, 'reply'> & {
      readonly role: 'call'
      readonly reply: (call: StoringCall<never>) => unknown
    })

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
  /** Lets exploration try the last value: the operation to which it matters, and what a good client does. */
  readonly variant?: {
    readonly id: string
    readonly operation: string
    readonly advice: string
    /** Whether a client of this API can't be blamed for not knowing it: explorations only advise. */
    readonly isUnread?: boolean
  }
}

/**
 * The form of ids: `uuid`, or how many of which characters after a prefix.
 *
 * @example
 * const form: IdOptions = { prefix: 'arn:aws:bedrock:us-east-1:123456789012:async-invoke/', length: 12 }
 */
export type IdOptions = 'uuid' | { readonly prefix?: string; readonly length: number; readonly of?: string }

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
  /**
   * The vendor's words for the states of a job, each a different one. Only an API without jobs, whose operations are all `call`, has
   * none. Without `cancelled`, a cancelled job has failed. With
   * `cancelling`, a cancelled job is in this state for a while. Of several words for a state, the first is the default; the
   * quirk `nameQueue` (`nameWork`, …) chooses another one, and `explore` tries each.
   */
  readonly states?: StateWords
  /**
   * All states of a job and what ends them, if those of `states` are not all: a state that waits for an operation has `on`, its
   * name. Default: queue, work, and the ends.
   */
  readonly lifecycle?: LifecycleDefinition
  /**
   * The prefix of the names of its models. If `models` of the config lists names with this prefix, only those are offered. Default: every
   * video model belongs to this API.
   */
  readonly modelPrefix?: string
  /** What the purposes of the random draws of jobs begin with. Default `video`. */
  readonly draws?: string
  /** What jobs make, unless `job` says otherwise. Default `video`. */
  readonly makes?: JobMedium
  /** How long a job is queued, how long the work takes, and how long `cancelling` lasts. `timing` of the config overrides the first two. */
  readonly timing?: {
    readonly queued?: DurationSpec
    readonly render?: DurationSpec
    readonly cancelling?: DurationSpec
  }
  /** The progress at which the work begins. Default 0. */
  readonly beginsAt?: number
  /** The length and the size of a request that has none, if the config allows them. */
  readonly defaults?: { readonly seconds?: number; readonly size?: string }
  /** The sizes that a model takes; undefined for any. */
  readonly sizesOf?: (model: string) => readonly string[] | undefined
  /** The media type of JSON, or a function of the quirks. Default `application/json`. */
  readonly contentType?: string | ((quirks: Call['quirks']) => string)
  /** The ways in which it may differ. */
  readonly quirks?: Readonly<Record<string, QuirkDefinition>>
  /** Another word for the state of a job, and another progress; undefined for those of `states`. */
  readonly shows?: (
    job: Job,
    quirks: Call['quirks'],
  ) => { readonly status: string; readonly progress: number } | undefined
  /**
   * The form of ids: `uuid`, or how many of which characters after a prefix, such as that of an ARN. Default: 32 letters and digits.
   */
  readonly id?: IdOptions
  /**
   * Second names of jobs and their form, such as `{ file: { prefix: 'file-', length: 24 } }`: `job.alias('file')` is one, and requests may
   * name a job by it. `job.alias('clip', 1)` is that of the second file.
   */
  readonly aliases?: Readonly<Record<string, IdOptions>>
  /** The form of ids of files that clients upload by `store` of a `call`. Default: that of jobs. */
  readonly uploads?: IdOptions
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
   * Unknown paths under these are refused in the envelope. Default: what routes begin with. Other unknown paths are refused
   * in the same way if they resemble a route of this API more than one of any other API.
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
