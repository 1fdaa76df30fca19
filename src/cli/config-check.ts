import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml'
import type { z } from 'zod'
import { didYouMean } from '../engine/did-you-mean.ts'
import { ConfigError } from './config-error.ts'
import type { Config } from './config.ts'
import { configSchema } from './config-schema.ts'

/**
 * Parses and checks the text of a config file. JSON is YAML too, so that both have their lines known.
 * @throws {ConfigError} with every mistake: file:line:column, the value, and what to do.
 */
export function checkConfig(path: string, text: string): Config {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [syntax] = document.errors
  if (syntax) {
    const { line, col } = lines.linePos(syntax.pos[0])
    throw new ConfigError(`${path}:${line}:${col} ${syntax.message}`)
  }
  const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {}
  const checked = configSchema.safeParse(value)
  if (checked.success) return checked.data as Config
  const mistakes = checked.error.issues.flatMap((issue) => mistakesOf(issue, document))
  const told = mistakes.map(({ at, message }) => {
    const { line, col } = lines.linePos(at)
    return `${path}:${line}:${col} ${message}`
  })
  throw new ConfigError(told.join('\n'))
}

interface Mistake {
  /** Offset in the text. */
  at: number
  message: string
}

function mistakesOf(issue: z.core.$ZodIssue, document: Document): Mistake[] {
  const place = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(place)
    return issue.keys.map((key) => ({
      at: keyOffset(document, place, key),
      message: `${[...place, key].join('.')} is not known.${didYouMean(key, known)} Known here: ${known.join(', ')}.`,
    }))
  }
  const value = JSON.stringify(document.getIn(place.length > 0 ? issue.path : []) ?? null)?.slice(0, 60)
  return [
    { at: valueOffset(document, issue.path), message: `${place.join('.')} is ${value}: ${issue.message}` },
  ]
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

function keyOffset(document: Document, place: readonly string[], key: string): number {
  const map = place.length === 0 ? document.contents : document.getIn(place, true)
  if (!isMap(map)) return 0
  const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key)
  return isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : 0
}

function valueOffset(document: Document, place: readonly PropertyKey[]): number {
  // A missing value has no place of its own; whoever should have held it has.
  for (let length = place.length; length > 0; length--) {
    const node = document.getIn(place.slice(0, length), true) as
      { range?: [number, number, number] } | undefined
    if (node?.range) return node.range[0]
  }
  return 0
}
