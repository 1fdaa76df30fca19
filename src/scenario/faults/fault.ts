import * as z from 'zod/mini'
import type { ConnectionEnd } from '../../engine/connection-end.ts'
import type { Role } from '../../engine/operations/facts.ts'
import type { Draws } from '../../engine/random/draws.ts'
import type { Reply } from '../../engine/reply.ts'
import { may, type Plain } from '../schema/fields.ts'
import { share } from '../schema/values.ts'

/** A way to break a response: its schema, its effect and its use in exploration. `index.ts` lists all faults. */
export interface FaultDefinition<
  Name extends string = string,
  Fields extends z.core.$ZodShape = z.core.$ZodShape,
> {
  readonly name: Name
  /** One sentence, for editors and docs. */
  readonly description: string
  /** The fields that a rule may set. If none is required, the name alone is enough. */
  readonly fields: Fields
  /** An example, if the name alone is not enough. */
  readonly example?: string
  /** The roles of operations whose responses the fault can break. */
  readonly hits: 'any' | readonly Role[]
  /** Where a client can notice the fault. */
  readonly visibleIn: 'connection' | 'headers' | 'body' | 'content' | 'time'
  /** Whether the response arrives complete: it is only slow, or its events or bytes come in another form. */
  readonly isHarmless?: true
  /** Whether the bytes of the body are wrong. */
  readonly altersBody?: true
  readonly goodClient: GoodClient
  /**
   * Where exploration injects it, and with which fields. Default: wherever it `hits`, without fields. `false`: never, because
   * no client could avoid the damage. `isOnlyNamed`: only if the user names it, because a client needs something undocumented
   * to notice it.
   */
  readonly explored?:
    | false
    | {
        readonly at?: readonly Role[]
        readonly fields?: FieldsOf<Fields>
        readonly needsSignature?: true
        readonly isOnlyNamed?: true
      }
  /** How exploration uses it to lose the response to an accepted submission. By default, it doesn't. */
  readonly lostAnswer?: GoodClient & { readonly id: string; readonly description: string }
  /**
   * The ways in which it ends the connection. The first is that of its name alone. Only a socket carries that out exactly:
   * other transports approximate it, and the journal records that. A recording reproduces such an end by it.
   */
  readonly ends?: readonly ConnectionEnd[]
  /** A field that the other fields leave without effect, and why. */
  idleField?(fault: FieldsOf<Fields>): { readonly field: string; readonly why: string } | undefined
  /** Whether the client gets no response. Then the request may also be lost. */
  isSilent?(fault: FieldsOf<Fields>): boolean
  /** Whether the fault may change nothing, which is known only once the stream is sent. It calls `onEffect` if it changes something. */
  readonly isProvenLate?: true
  /** Applies the fault to a response. Has no effects. */
  apply?<Media>(reply: Reply<Media>, fault: FieldsOf<Fields>, context: FaultContext): Reply<Media>
  /** The instant whose task state the client gets, instead of now. */
  viewedAt?(fault: FieldsOf<Fields>, task: ViewedTask, draw: Draw): number
}

type FieldsOf<Fields extends z.core.$ZodShape> = Plain<z.output<z.ZodMiniObject<Fields>>>

/**
 * What a good client does about a fault, by which exploration judges. A response that is lost or unreadable may stand for a
 * paid task or text, so a client may report it instead of repeating the request.
 */
export interface GoodClient {
  readonly reaction:
    | 'retry-with-backoff'
    | 'time-out'
    | 'wait'
    | 'verify-and-repeat'
    | 'report-and-stop'
    | 'ignore'
    | 'decode'
  /** `survive`: the result equals that of a run without the fault. `report`: the client ends with an error. */
  readonly expected: 'survive' | 'report' | 'either'
  /** Faults of one family test the same habit. */
  readonly family: string
  /** If several faults cause the same finding, the one with the lowest rank is reported. */
  readonly rank: number
  /** Whether the client can't know if its request was accepted, so that repeating it may pay twice. */
  readonly isAcceptanceUnknown?: true
}

/** The facts about an exchange that a fault may use. */
export interface FaultContext {
  readonly draw: Draw
  /** The URL of the request. */
  readonly url: string
  /** Called by a fault that {@link FaultDefinition.isProvenLate}. */
  readonly onEffect?: () => void
}

/** A task as a poll reports it now. */
export interface ViewedTask {
  readonly submittedAt: number
  readonly now: number
}

/** Returns a number from 0 to 1 for a purpose, drawn for one rule and one request. */
export type Draw = (purpose: string) => number

/** @param subject the task, or the identity of the request; `attempt` counts identical requests. */
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
