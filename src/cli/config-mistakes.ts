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

/** The keys that the schema takes at a place, for suggestions. */
function knownKeys(place: readonly string[]): string[] {
  let schema: unknown = configSchema
  for (const step of place) schema = inner(schema, step)
  return Object.keys((unwrap(schema) as { shape?: object }).shape ?? {})
}

function inner(schema: unknown, step: string): unknown {
  const { shape, element, valueType } = unwrap(schema) as {
    shape?: Record<string, unknown>
    element?: unknown
    valueType?: unknown
  }
  return shape?.[step] ?? element ?? valueType
}

function unwrap(schema: unknown): unknown {
  const { unwrap: open } = (schema ?? {}) as { unwrap?: () => unknown; element?: unknown }
  return typeof open === 'function' && !(schema as { element?: unknown }).element
    ? open.call(schema)
    : (schema ?? {})
}
