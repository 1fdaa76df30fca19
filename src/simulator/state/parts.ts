import { StateError } from '../../control/state.ts'
import type { StateNames } from '../../engine/tasks/changes.ts'
import { namespaceName, type Namespaces } from '../../engine/namespace.ts'
import type { TaskStore } from '../../engine/tasks/tasks.ts'
import type { Attachment } from '../../apis/define/api.ts'
import type { Billing } from '../../gateway/accounts/billing.ts'
import type { GatewayNamespace } from '../../gateway/exchange.ts'
import type { Throttles } from '../../scenario/throttles/throttles.ts'
import type { Rules } from '../../scenario/rules/rules.ts'
import { items, text } from './checks.ts'

/** The objects that hold the state of a simulator. */
export interface StateHolders {
  readonly namespaces: Namespaces<GatewayNamespace>
  readonly tasks: TaskStore
  readonly rules: Rules
  readonly throttles: Throttles
  readonly billing: Billing
  /** What APIs have attached to the simulator. */
  readonly attachments: readonly Attachment[]
}

/** The names of a value in its part. The first one is the namespace; in a shared part, it can be the second. */
export type Names = readonly string[]

/** One kind of value of the state. */
export interface Part {
  /** How many names a value can have. */
  readonly nameCounts: readonly number[]
  /** The names of all values, or of those of one namespace, in the order in which they must be restored. */
  readonly list: (namespace: string | undefined) => Iterable<Names>
  /** Reads a value as JSON that doesn't change later; undefined if there is none. */
  readonly read: (...names: string[]) => unknown
  /** @throws {StateError} for an invalid value. */
  readonly check: (value: unknown, path: string, names: Names) => unknown
  /** Restores a checked value. */
  readonly write: (value: never, ...names: string[]) => void
  /** Whether all namespaces share its values. */
  readonly isShared?: boolean
}

export type Parts = Readonly<Partial<Record<keyof StateNames, Part>>>

/** Defines a part. Infers the type of its values from its check. */
export function definePart<Value>(
  part: Omit<Part, 'check' | 'write'> & {
    readonly check: (value: unknown, path: string, names: Names) => Value
    readonly write: (value: Value, ...names: string[]) => void
  },
): Part {
  return part
}

/**
 * Reads the names of a value that may come from outside.
 * @throws {StateError} for names that the part can't have.
 */
export function readNames(value: unknown, { nameCounts, isShared }: Part, path: string): Names {
  const names = items(value, path).map((each) => text(each, path))
  if (!nameCounts.includes(names.length))
    throw new StateError(`${path} has length ${names.length}, but it must be ${nameCounts.join(' or ')}`)
  const namespace = names[isShared ? 1 : 0]
  if (namespace !== undefined && !namespaceName.test(namespace))
    throw new StateError(`${path} has ${JSON.stringify(namespace.slice(0, 80))}, which names no namespace`)
  return names
}

/** The names in one namespace; all names without a namespace. */
export function* inNamespace(all: Iterable<Names>, namespace: string | undefined): Generator<Names> {
  for (const names of all) if (namespace === undefined || names[0] === namespace) yield names
}
