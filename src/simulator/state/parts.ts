import { StateError } from '../../control/state.ts'
import type { StateNames } from '../../engine/tasks/changes.ts'
import { namespaceName } from '../../engine/namespace.ts'
import { isObject } from '../../engine/is-object.ts'

/** The names of a value in its part. The first one is the namespace; in a shared part, it can be the second. */
export type Names = readonly string[]

/** One kind of value of the state. */
export interface StatePart {
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

export type StateParts = Readonly<Partial<Record<keyof StateNames, StatePart>>>

/** Defines a part. Infers the type of its values from its check. */
export function definePart<Value>(
  part: Omit<StatePart, 'check' | 'write'> & {
    readonly check: (value: unknown, path: string, names: Names) => Value
    readonly write: (value: Value, ...names: string[]) => void
  },
): StatePart {
  return part
}

/**
 * Reads the names of a value that may come from outside.
 * @throws {StateError} for names that the part can't have.
 */
export function readNames(value: unknown, { nameCounts, isShared }: StatePart, path: string): Names {
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

/**
 * Returns a valid value unchanged. `path` names it in the error.
 * @throws {StateError} for an invalid value.
 */
export type ValueCheck<Value> = (value: unknown, path: string) => Value

export const text: ValueCheck<string> = (value, path) =>
  typeof value === 'string' ? value : refuse(value, path, 'a text')

export const flag: ValueCheck<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(value, path, 'true or false')

export const amount: ValueCheck<number> = (value, path) =>
  typeof value === 'number' && value >= 0 ? value : refuse(value, path, 'a number from 0')

/** An exact whole number. */
export const count: ValueCheck<number> = (value, path) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : refuse(value, path, 'a whole number')

export const fields: ValueCheck<Readonly<Record<string, unknown>>> = (value, path) =>
  isObject(value) ? value : refuse(value, path, 'an object')

export const items: ValueCheck<readonly unknown[]> = (value, path) =>
  Array.isArray(value) ? value : refuse(value, path, 'a list')

export const oneOf =
  <Name extends string>(...names: readonly Name[]): ValueCheck<Name> =>
  (value, path) =>
    names.find((name) => name === value) ??
    refuse(value, path, names.join(', ').replace(/, ([^,]+)$/, ' or $1'))

export const optional =
  <Value>(check: ValueCheck<Value>): ValueCheck<Value | undefined> =>
  (value, path) =>
    value === undefined ? undefined : check(value, path)

export const nullable =
  <Value>(check: ValueCheck<Value>): ValueCheck<Value | null> =>
  (value, path) =>
    value === null ? null : check(value, path)

export const listOf =
  <Value>(check: ValueCheck<Value>): ValueCheck<readonly Value[]> =>
  (value, path) => {
    for (const [index, item] of items(value, path).entries()) check(item, `${path}[${index}]`)
    return value as readonly Value[]
  }

/** An object with these fields. Further fields are not checked. */
export function objectOf<Checks extends Readonly<Record<string, ValueCheck<unknown>>>>(
  checks: Checks,
): ValueCheck<{ readonly [Name in keyof Checks]: ReturnType<Checks[Name]> }> {
  const list = Object.entries(checks)
  return (value, path) => {
    const found = fields(value, path)
    for (const [name, check] of list) check(found[name], `${path}.${name}`)
    return value as never
  }
}

function refuse(value: unknown, path: string, expected: string): never {
  const found = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60)
  throw new StateError(`${path} must be ${expected}, not ${found}`)
}
