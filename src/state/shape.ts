import { StateError } from './state-error.ts'

export type Fields = Readonly<Record<string, unknown>>

/** @throws {StateError} for anything but an object. */
export function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw wrong(where, 'an object', value)
}

/** @throws {StateError} for anything but a list. */
export function listOf(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw wrong(where, 'a list', value)
}

/** @throws {StateError} for anything but a text. */
export function textOf(value: unknown, where: string): string {
  if (typeof value === 'string') return value
  throw wrong(where, 'a text', value)
}

/** @throws {StateError} for anything but true and false. */
export function flagOf(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value
  throw wrong(where, 'true or false', value)
}

/** @throws {StateError} for anything but a number from `least` on. */
export function numberOf(value: unknown, where: string, least = 0): number {
  if (typeof value === 'number' && value >= least) return value
  throw wrong(where, `a number from ${least}`, value)
}

/** @throws {StateError} for anything but a whole number up to the largest that is exact. */
export function countOf(value: unknown, where: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw wrong(where, 'a whole number', value)
}

/** The value where it is there. */
export function maybe<Value>(
  value: unknown,
  where: string,
  read: (value: unknown, where: string) => Value,
): Value | undefined {
  return value === undefined ? undefined : read(value, where)
}

function wrong(where: string, wanted: string, value: unknown): StateError {
  const shown = value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60)
  return new StateError(`${where} must be ${wanted}, not ${shown}`)
}
