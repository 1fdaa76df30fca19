import type { Job } from '../job/job.ts'
import type { SignMessage } from '../../../gateway/callbacks/plan.ts'
import type { Call } from './call.ts'
import type { Refused } from './refused.ts'

/**
 * The states that a webhook reports.
 *
 * @example
 * const on: readonly WebhookChange[] = ['success', 'failure']
 */
export type WebhookChange = 'queue' | 'work' | 'success' | 'failure' | 'cancelling' | 'cancelled'

/**
 * A message of a webhook: its id, its time, and the state that it reports.
 *
 * @example
 * const eventOf = ({ id, now, change }: WebhookMessage) => ({ id, type: `job.${change}`, created: now / 1000 })
 */
export interface WebhookMessage {
  /** The id of the message, which repetitions have, too. */
  readonly id: string
  /** When it is sent, in milliseconds since 1970 on the virtual clock. */
  readonly now: number
  /** The state of the job. */
  readonly change: WebhookChange
}

/**
 * How an API posts changes of its jobs to clients.
 *
 * @example
 * const webhook: WebhookOptions = {
 *   to: ({ body }) => body['callback_url'],
 *   on: ['success', 'failure'],
 *   body: (job, { id }) => ({ event: id, job: job.id, status: job.status }),
 *   sign: standardWebhooks('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
 *   retries: ['5s', '5m'],
 * }
 */
export interface WebhookOptions {
  /**
   * Returns the URL of a submission: on this machine, or of a host that `webhooks` of the config allows. Without a text, the URL of
   * the config counts; without one, nothing is sent. Default: the URL of the config.
   */
  readonly to?: (call: Call) => unknown
  /** Refuses a URL of `to` that may not be called. Default: the journal says it, and nothing is sent. */
  readonly refuses?: (url: unknown) => Refused | Error
  /** The name of its operation. Default `webhook`. */
  readonly name?: string
  /** The changes that are reported; `all` are those of the state and of the progress. Default: the ends. */
  readonly on?: readonly WebhookChange[] | 'all'
  /** Percentages at which the progress is reported, such as `[50]`. Default: none. */
  readonly progress?: readonly number[]
  /** Returns the body: a value for JSON, or an `answer` with headers. */
  readonly body: (job: Job, message: WebhookMessage) => unknown
  /** The operation of the API whose golden exchanges show its body, for the OpenAPI document. Default: none. */
  readonly like?: string
  /** The media type of its JSON. Default: that of the API. */
  readonly contentType?: string
  /** What allows a URL to be called, as a sentence. Default: `webhooks` of the config. */
  readonly advice?: string
  /** Returns the headers with the signature. Must be pure. Default: no signature. */
  readonly sign?: SignMessage
  /** How long a receiver may take. Default `5s`. */
  readonly timeout?: string
  /** How long after an attempt that the receiver did not accept the next one is made. Default: none. */
  readonly retries?: readonly string[]
  /** Whether a status accepts the message. Default: 200 to 299. */
  readonly accepts?: (status: number) => boolean
}
