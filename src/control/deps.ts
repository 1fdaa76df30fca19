import * as z from 'zod/mini'
import { named } from '../scenario/schema/fields.ts'
import { integer, optionalText } from '../apis/define/operation-schema.ts'
import { type FieldsOf } from './values.ts'
import type { FindKind } from '../apis/define/task-kind.ts'
import type { Activity } from '../engine/clock/activity.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { Namespaces } from '../engine/namespace.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { Draws } from '../engine/random/draws.ts'
import type { EventLog } from '../engine/tasks/events.ts'
import type { TaskStore } from '../engine/tasks/tasks.ts'
import type { Billing } from '../gateway/accounts/billing.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { MessageStore } from '../gateway/messages.ts'
import type { Traffic } from '../gateway/traffic.ts'
import type { MediaSource } from '../media/source.ts'
import type { Rules } from '../scenario/rules/rules.ts'
import type { GatewayOptions } from '../scenario/vocabulary/types.ts'
import type { StateControl } from './state.ts'

/**
 * One rule of a good client, and whether it was broken; in full, an {@link InvariantReport}.
 *
 * @example
 * const [first]: readonly InvariantState[] = sim.core.control.verdict('default').invariants
 * first // → { verdict: 'not-exercised', violations: 0, … }
 */
export interface InvariantState {
  readonly name: string
  readonly means: string
  readonly verdict: 'pass' | 'fail' | 'not-exercised' | 'not-applicable'
  readonly exercised: number
  readonly violations: number
  readonly first?: { readonly requests: readonly number[]; readonly message: string }
  /** What the client should do, if it failed. */
  readonly advice?: string
  readonly reason?: string
}

/** Judges clients by the invariants of a good client. */
export interface VerdictSource {
  /** The audit of a namespace. It covers the exchanges since the first call, and those that the journal still had then. */
  of(namespace: string): { readonly invariants: readonly InvariantState[] }
}

/** Metrics as text, in the format that `contentType` names. */
export interface MetricsRegistry {
  readonly contentType: string
  readonly metrics: () => Promise<string>
}

/** Parts of the control API that only Node has, loaded on first use. */
export interface NodeParts {
  readonly metrics: (deps: ControlDeps) => Promise<MetricsRegistry>
  /** Loads the function that creates the OpenAPI document. */
  readonly openapi: () => Promise<(operations: OperationTable, server: string) => unknown>
}

/** The parts of a simulator that the control API uses. */
export interface ControlDeps {
  /** Those that it serves. */
  readonly operations: OperationTable
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly kindOf: FindKind
  readonly events: EventLog
  readonly media: MediaSource
  readonly rules: Rules
  readonly draws: Draws
  readonly billing: Billing
  readonly traffic: Traffic
  /** Counts the requests that have no complete response yet. */
  readonly activity: Activity
  /** Missing in a page. */
  readonly nodeParts: NodeParts | undefined
  readonly state: StateControl
  /** The options of the simulator. */
  readonly options: GatewayOptions
  readonly verdicts: VerdictSource
  /** Headers and bodies; undefined if they are not stored. */
  readonly messages: MessageStore | undefined
  /** The clock of a namespace, brought up to date, after expired tasks were removed. */
  readonly clockOf: (namespace: string) => Clock
  /** Forgets the counts of a namespace: those of rules, throttles and accounts. */
  readonly forget: (namespace: string) => void
}
export const invariantSchema = named(
  'Invariant',
  z.looseObject({
    name: z.string(),
    means: z.string(),
    verdict: z.enum(['pass', 'fail', 'not-exercised', 'not-applicable']),
    exercised: integer,
    violations: integer,
    first: z.optional(z.object({ requests: z.array(integer), message: z.string() })),
    advice: optionalText,
    reason: optionalText,
  } satisfies FieldsOf<InvariantState>),
  'One rule of a good client, and whether it was broken.',
)
