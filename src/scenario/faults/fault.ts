import * as z from 'zod/mini'
import type { OperationFacts } from '../../engine/operations/facts.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { Reply } from '../../engine/reply.ts'
import { may, type Plain } from '../schema/fields.ts'
import { share } from '../schema/values.ts'

/** A way to break a response: everything about it, in one file. `index.ts` lists them. */
export interface FaultDefinition<
  Name extends string = string,
  Fields extends z.core.$ZodShape = z.core.$ZodShape,
> {
  readonly name: Name
  /** One sentence, for hover and docs. */
  readonly description: string
  /** What a rule may say of it. Without required fields, its name alone is enough. */
  readonly fields: Fields
  /** How to write it, if its name alone is not enough. */
  readonly example?: string
  /** The kinds of operations whose responses it can break. */
  readonly hits: 'any' | readonly OperationFacts['kind'][]
  /** Whether only a socket carries it out exactly. Other transports come close, and the journal says so. */
  readonly needsSocket: boolean
  /** Where a client can notice it. */
  readonly visibleIn: 'connection' | 'headers' | 'body' | 'content' | 'time'
  readonly goodClient: GoodClient
  /**
   * How exploration injects it: at which kinds of operations, and with which fields. Default: wherever it hits, by its name
   * alone. `false`: never, since no client could do better.
   */
  readonly explored?:
    false | { readonly at?: readonly OperationFacts['kind'][]; readonly fields?: FieldsOf<Fields> }
  /** Whether the client gets no response, so that the request may be lost as well. */
  isSilent?(fault: FieldsOf<Fields>): boolean
  /** The response with the fault in it. Pure. */
  apply?<Media>(reply: Reply<Media>, fault: FieldsOf<Fields>, context: FaultContext): Reply<Media>
  /** The instant whose state of the task the client sees, in place of now. */
  viewedAt?(fault: FieldsOf<Fields>, task: ViewedTask, draw: Draw): number
}

type FieldsOf<Fields extends z.core.$ZodShape> = Plain<z.output<z.ZodMiniObject<Fields>>>

/**
 * What a good client does about a fault. Exploration judges by it. A response that got lost or can't be read may stand for a
 * task or a text that is paid for, so for these any client may report it instead of repeating the request.
 */
export interface GoodClient {
  readonly reaction:
    'retry-with-backoff' | 'time-out' | 'wait' | 'verify-and-repeat' | 'report-and-stop' | 'ignore' | 'decode'
  /** `survive`: the result is that of a run without the fault. `report`: the client ends with an error. */
  readonly expected: 'survive' | 'report' | 'either'
  /** Faults of one family test the same habit. */
  readonly family: string
  /** Of several faults with the same finding, the one of the lowest rank is reported. */
  readonly rank: number
}

/** What a fault may know of its exchange. */
export interface FaultContext {
  readonly draw: Draw
  /** Where the request was sent. */
  readonly url: string
}

/** A task as a poll looks at it now. */
export interface ViewedTask {
  readonly submittedAt: number
  readonly now: number
}

/** A number from 0 to 1 for a purpose, drawn for one rule and one request. */
export type Draw = (purpose: string) => number

/** @param subject the task, or the identity of the request; `attempt` counts the same request. */
export function drawFor(draws: Draws, rules: readonly string[], subject: string, attempt: number): Draw {
  const rule = rules.join('+')
  return (purpose) => draws.unit(`${rule}.${purpose}`, subject, attempt)
}

export function defineFault<const Name extends string, Fields extends z.core.$ZodShape>(
  fault: FaultDefinition<Name, Fields>,
): FaultDefinition<Name, Fields> {
  return fault
}

export const lost = may(
  z.enum(['request', 'answer']),
  'What is lost: the request, which then has no effect, or only the response to it. Default `request`.',
  'answer',
)

export const at = may(share, 'The share of the body after which this happens. Default 50%.', '40%')
