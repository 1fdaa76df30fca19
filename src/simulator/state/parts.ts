import * as z from 'zod/mini'
import { StateError } from '../../control/state.ts'
import { isObject } from '../../engine/is-object.ts'
import { namespaceName } from '../../engine/namespace.ts'
import type { StateNames } from '../../engine/tasks/changes.ts'
import { checkAgainst, firstOf, mistakeSentence } from '../../scenario/schema/mistakes.ts'

/** The names of a value in its part. The first one is the namespace; in a shared part, it can be the second. */
export type Names = readonly string[]

/** One kind of value of the state. */
export interface StatePart {
  /**
   * What each name of a value is, such as `['namespace', 'id']`. One with a `?` may be missing. Namespaces share the values of
   * a part whose first name is another one.
   */
  readonly names: Names
  readonly isShared: boolean
  /** The names of all values, or of those of one namespace, in the order in which they must be restored. */
  readonly list: (namespace: string | undefined) => Iterable<Names>
  /** Reads a value as JSON that doesn't change later; undefined if there is none. */
  readonly read: (...names: string[]) => unknown
  /** The form of a value. Further fields are valid. */
  readonly schema: z.ZodMiniType | ((...names: string[]) => z.ZodMiniType)
  /** What is wrong with a value of this form under its names; undefined if nothing is. */
  readonly problem?: (value: never, ...names: string[]) => string | undefined
  /** Restores a checked value. */
  readonly write: (value: never, ...names: string[]) => void
}

export type StateParts = Readonly<Partial<Record<keyof StateNames, StatePart>>>

type NamesOf<Words extends Names> = {
  [Index in keyof Words]: Words[Index] extends `${string}?` ? string | undefined : string
}

/** Defines a part. Infers the type of its values from its schema, and its arguments from its names. */
export function definePart<Value, const Words extends Names>(part: {
  readonly names: Words
  readonly list: StatePart['list']
  readonly read: (...names: NamesOf<Words>) => unknown
  readonly schema: z.ZodMiniType<Value> | ((...names: NamesOf<Words>) => z.ZodMiniType<Value>)
  readonly problem?: (value: Value, ...names: NamesOf<Words>) => string | undefined
  readonly write: (value: Value, ...names: NamesOf<Words>) => void
}): StatePart {
  return { ...(part as unknown as Omit<StatePart, 'isShared'>), isShared: part.names[0] !== 'namespace' }
}

/**
 * Checks a value of a part.
 * @param path names it in errors.
 * @throws {StateError} for the first mistake.
 */
export function readValue({ schema, problem }: StatePart, value: unknown, path: string, names: Names): void {
  readStored(typeof schema === 'function' ? schema(...names) : schema, value, path)
  const sentence = problem?.(value as never, ...names)
  if (sentence !== undefined) throw new StateError(`${path}.${sentence}`)
}

/**
 * Reads the names of a value that may come from outside.
 * @throws {StateError} for names that the part can't have.
 */
export function readNames(value: unknown, { names: words, isShared }: StatePart, path: string): Names {
  const names = isTexts(value) ? value : readStored(texts, value, path)
  const least = words.filter((word) => !word.endsWith('?')).length
  if (names.length < least || names.length > words.length)
    throw new StateError(`${path} has length ${names.length}, but it must be ${least}: ${words.join(', ')}`)
  const namespace = names[isShared ? 1 : 0]
  if (namespace !== undefined && !namespaceName.test(namespace))
    throw new StateError(`${path} has ${JSON.stringify(namespace.slice(0, 80))}, which names no namespace`)
  return names
}

/** A state can have a million values, so lists of names are checked without a schema first. */
function isTexts(value: unknown): value is Names {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** The names in one namespace; all names without a namespace. */
export function* inNamespace(all: Iterable<Names>, namespace: string | undefined): Generator<Names> {
  for (const names of all) if (namespace === undefined || names[0] === namespace) yield names
}

/**
 * Checks a stored value, which may come from outside.
 * @param path names it in errors.
 * @returns the value itself: what a schema doesn't describe stays.
 * @throws {StateError} for the first mistake.
 */
export function readStored<Value>(schema: z.ZodMiniType<Value>, value: unknown, path: string): Value {
  const checked = checkAgainst(schema, value)
  if ('value' in checked) return value as Value
  const { place, ...mistake } = firstOf(checked.mistakes)
  const sentence = mistakeSentence({ ...mistake, place: [path, ...place] }, path)
  throw new StateError(sentence.replace(/\.$/, ''))
}

export const amount = z.number().check(z.gte(0))
export const count = z.int().check(z.gte(0))
export const fields = z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be a mapping')
/** A list whose items are read one by one. */
export const list = z.custom<readonly unknown[]>(Array.isArray, 'must be a list')
const texts = z.array(z.string())
