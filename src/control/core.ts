import * as z from 'zod/mini'
import { once } from '../engine/once.ts'
import { named } from '../scenario/schema/fields.ts'
import type { Api } from '../apis/define/api.ts'
import { integer, optionalText } from '../scenario/schema/json-values.ts'
import type { FieldsOf } from './route.ts'
import type { FindKind } from '../apis/define/api.ts'
import type { Core } from '../gateway/core.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
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

/** Parts of the control API that only Node has, loaded on first use. */
export interface NodeParts {
  /** Loads the function that creates the OpenAPI document. */
  readonly openapi: () => Promise<
    (operations: OperationTable, apis: readonly Api[], server: string) => unknown
  >
}

/** The core with what the control API adds to it. */
export interface ControlCore extends Core {
  readonly kindOf: FindKind
  readonly apis: readonly Api[]
  readonly state: StateControl
  readonly verdicts: VerdictSource
  /** Missing in a page. */
  readonly nodeParts: NodeParts | undefined
}

export const invariantSchema = once(() =>
  named(
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
  ),
)
