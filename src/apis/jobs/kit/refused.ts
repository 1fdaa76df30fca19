import { recognizeCopies } from '../../../engine/shared-error.ts'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'

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
  /** The request, for envelopes that depend on it. Its body has not been checked. */
  readonly call: Call
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
  /** A confirmation of a job that does not wait for it. Default 409. */
  readonly notWaiting?: RefusalWords
  /** A download before the job has succeeded. Default 404. */
  readonly noResult?: RefusalWords
  /** A download after `expires`, or by a link after `linkExpires`. Default: the status of `noResult`. */
  readonly expired?: RefusalWords
  /** An idempotency key that a request with another body had. Default 409. */
  readonly reusedKey?: RefusalWords
}

/** Which refusal of a definition it is. */
export type RefusalKind = keyof Refusals

/** A refusal that has no envelope yet. Forms and functions of a definition throw it, or return it. */
export class Refused extends Error {
  static {
    // `greenroom/api` is a bundle of its own.
    recognizeCopies(this, 'Refused')
  }

  readonly kind: RefusalKind
  /** What to do instead, for the hint header. */
  readonly hint: string | undefined

  constructor(message: string, kind: RefusalKind = 'invalidBody', hint?: string) {
    super(message)
    this.kind = kind
    this.hint = hint
  }
}

/** The refusal of a field of a form, in its own sentence. */
export function refuseField({
  field,
  sentence = `field ${field} is invalid`,
}: {
  readonly field: string
  readonly sentence: string | undefined
}): Refused {
  const isSize = /(?:^|\.)(?:size|resolution|aspect_?ratio)$/i.test(field)
  return new Refused(sentence, isSize ? 'invalidSize' : 'invalidBody')
}
