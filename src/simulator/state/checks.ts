import { isObject } from '../../engine/is-object.ts'
import { StateError } from '../../control/state.ts'

/**
 * Returns a valid value unchanged. `path` names it in the error.
 * @throws {StateError} for an invalid value.
 */
export type Check<Value> = (value: unknown, path: string) => Value

export const text: Check<string> = (value, path) =>
  typeof value === 'string' ? value : refuse(value, path, 'a text')

export const flag: Check<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(value, path, 'true or false')

export const amount: Check<number> = (value, path) =>
  typeof value === 'number' && value >= 0 ? value : refuse(value, path, 'a number from 0')

/** An exact whole number. */
export const count: Check<number> = (value, path) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : refuse(value, path, 'a whole number')

export type Fields = Readonly<Record<string, unknown>>

export const fields: Check<Fields> = (value, path) =>
  isObject(value) ? value : refuse(value, path, 'an object')

export const items: Check<readonly unknown[]> = (value, path) =>
  Array.isArray(value) ? value : refuse(value, path, 'a list')

export const oneOf =
  <Name extends string>(...names: readonly Name[]): Check<Name> =>
  (value, path) =>
    names.find((name) => name === value) ??
    refuse(value, path, names.join(', ').replace(/, ([^,]+)$/, ' or $1'))

export const optional =
  <Value>(check: Check<Value>): Check<Value | undefined> =>
  (value, path) =>
    value === undefined ? undefined : check(value, path)

export const nullable =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value, path) =>
    value === null ? null : check(value, path)

export const listOf =
  <Value>(check: Check<Value>): Check<readonly Value[]> =>
  (value, path) => {
    for (const [index, item] of items(value, path).entries()) check(item, `${path}[${index}]`)
    return value as readonly Value[]
  }

/** An object with these fields. Further fields are not checked. */
export function objectOf<Checks extends Readonly<Record<string, Check<unknown>>>>(
  checks: Checks,
): Check<{ readonly [Name in keyof Checks]: ReturnType<Checks[Name]> }> {
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
