import type { z } from 'zod'
import { didYouMean } from '../engine/did-you-mean.ts'
import type { Config } from './config.ts'
import { configSchema } from './config-schema.ts'

/** Something in a config that can't be used. */
export interface Mistake {
  /** The keys and indexes that lead to it. */
  readonly place: readonly PropertyKey[]
  /** Whether the last key of the place is the mistake; else its value is. */
  readonly isKey: boolean
  /** What is wrong, with which value, and what to do. It begins with the place. */
  readonly message: string
}

/**
 * Checks what a config file says, whatever language it is written in.
 * @returns the config, or every mistake in it.
 */
export function checkValue(value: unknown): { config: Config } | { mistakes: Mistake[] } {
  const checked = configSchema.safeParse(value)
  if (checked.success) return { config: checked.data as Config }
  return { mistakes: checked.error.issues.flatMap((issue) => mistakesOf(issue, value)) }
}

function mistakesOf(issue: z.core.$ZodIssue, value: unknown): Mistake[] {
  const meant = branchMeant(issue)
  if (meant)
    return meant.flatMap((inner) => mistakesOf({ ...inner, path: [...issue.path, ...inner.path] }, value))
  const place = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(place)
    return issue.keys.map((key) => ({
      place: [...issue.path, key],
      isKey: true,
      message: `${[...place, key].join('.')} is not known.${didYouMean(key, known)} Known here: ${known.join(', ')}.`,
    }))
  }
  const name = place.length === 0 ? 'the config' : place.join('.')
  const message = `${name} is ${shown(valueAt(value, issue.path))}: ${issue.message}`
  return [{ place: issue.path, isKey: false, message }]
}

function valueAt(value: unknown, place: readonly PropertyKey[]): unknown {
  return place.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | null)?.[step], value)
}

function shown(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  try {
    return (JSON.stringify(value ?? null) ?? String(value)).slice(0, 60)
  } catch {
    // Code can make what JSON has no words for: circles and very large whole numbers.
    return String(value).slice(0, 60)
  }
}

/**
 * What was probably meant where several kinds of value are taken: the kind whose mistakes lie deepest, since a value
 * of another kind is wrong as a whole.
 *
 * @returns the mistakes of that kind; undefined where the schema says better itself what it wants.
 */
function branchMeant(issue: z.core.$ZodIssue): z.core.$ZodIssue[] | undefined {
  if (issue.code !== 'invalid_union' || issue.message !== 'Invalid input') return undefined
  const fitting = issue.errors.filter((branch) => !branch.some(isOfOtherKind))
  return fitting.toSorted((one, other) => shallowest(other) - shallowest(one))[0]
}

function isOfOtherKind(issue: z.core.$ZodIssue): boolean {
  if (issue.path.length > 0) return false
  return issue.code === 'invalid_type' || (issue.code === 'invalid_union' && !branchMeant(issue))
}

function shallowest(issues: readonly z.core.$ZodIssue[]): number {
  return Math.min(
    ...issues.map((issue) => {
      const meant = branchMeant(issue)
      return issue.path.length + (meant ? shallowest(meant) : 0)
    }),
  )
}

/** The keys that the schema takes at a place, for suggestions. */
function knownKeys(place: readonly string[]): string[] {
  let schemas: unknown[] = kindsOf(configSchema)
  for (const step of place) schemas = schemas.flatMap((schema) => kindsOf(inner(schema, step)))
  return schemas.flatMap((schema) => Object.keys((schema as { shape?: object }).shape ?? {}))
}

function inner(schema: unknown, step: string): unknown {
  const { shape, element, valueType } = schema as {
    shape?: Record<string, unknown>
    element?: unknown
    valueType?: unknown
  }
  return shape?.[step] ?? element ?? valueType
}

/** A schema without its wrappings, or where several kinds of value are taken, each of them. */
function kindsOf(schema: unknown): unknown[] {
  const { unwrap, element, options } = (schema ?? {}) as {
    unwrap?: () => unknown
    element?: unknown
    options?: unknown
  }
  if (Array.isArray(options) && typeof options[0] === 'object') return options.flatMap(kindsOf)
  return typeof unwrap === 'function' && !element ? kindsOf(unwrap.call(schema)) : [schema ?? {}]
}
