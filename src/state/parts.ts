import type { Lifecycle } from '../engine/tasks/lifecycle.ts'
import type { Namespaces } from '../engine/namespace.ts'
import type { TaskStore } from '../engine/tasks/tasks.ts'
import type { Billing } from '../gateway/accounts/billing.ts'
import type { GatewayNamespace } from '../gateway/exchange.ts'
import type { Rates } from '../gateway/accounts/rates.ts'
import type { Throttles } from '../scenario/throttles/throttles.ts'
import type { Rules } from '../scenario/rules/rules.ts'

/** What a state is made of. */
export interface StateParts {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly throttles: Throttles
  readonly billing: Billing
  readonly rates: Rates
  readonly lifecycleOf: (name: string) => Lifecycle | undefined
}

/** The names under which a value stands in its part. */
export type Names = readonly string[]

/** One kind of what is kept: values by their names. */
export interface Part {
  /** The names of all there are; of one namespace where one is given. */
  readonly all: (namespace: string | undefined) => Iterable<Names>
  /** The value as it is now, as JSON that doesn't change any more; undefined when there is none. */
  readonly read: (...names: string[]) => unknown
  /** @throws {StateError} for a value that can't be. */
  readonly check: (value: unknown, where: string, names: Names) => unknown
  /** Goes on from a checked value. */
  readonly write: (value: never, ...names: string[]) => void
  readonly remove?: (...names: string[]) => void
  /** Whether it belongs to no namespace. */
  readonly isShared?: boolean
}

/** Keeps the types of a part's functions together. */
export function definePart<Value>(
  part: Omit<Part, 'check' | 'write'> & {
    readonly check: (value: unknown, where: string, names: Names) => Value
    readonly write: (value: Value, ...names: string[]) => void
  },
): Part {
  return part
}

/** Those of a list that belong to a namespace. */
export function* inNamespace(list: Iterable<Names>, namespace: string | undefined): Generator<Names> {
  for (const names of list) if (namespace === undefined || names[0] === namespace) yield names
}
