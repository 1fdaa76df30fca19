import { readdirSync, readFileSync } from 'node:fs'
import { operations, type EmbeddedOptions } from '../../src/index.ts'

export interface Call {
  method: string
  path: string
  headers?: Record<string, string>
  /** A string is sent unchanged, an object as JSON. */
  body?: unknown
}

/** A request, the steps before it, and its exact response. */
export interface Golden {
  title: string
  options?: EmbeddedOptions
  /** The steps before it: calls, and durations such as "30s". */
  before?: (Call | string)[]
  request: Call
  response: { status: number; headers: Record<string, string>; body: unknown }
}

const folder = new URL('../../fixtures/golden/', import.meta.url)

const allNames = readdirSync(folder).filter((name) => name.endsWith('.json'))
const prefixOf = (name: string): string => name.slice(0, name.indexOf('.'))
const prefixes = new Set(operations.map(prefixOf))

/** The names of the files in fixtures/golden. Those of an API that is removed from `src/apis` promise nothing. */
export const goldenNames = allNames.filter((name) => prefixes.has(prefixOf(name)))

/** The operations with golden exchanges whose API is removed. */
export const removedOperations = [
  ...new Set(
    allNames
      .filter((name) => !prefixes.has(prefixOf(name)))
      .map((name) => name.split('.').slice(0, 2).join('.')),
  ),
]

export const goldenFile = (name: string): URL => new URL(name, folder)

export const goldenOf = (name: string): Golden => JSON.parse(readFileSync(goldenFile(name), 'utf8')) as Golden

/** Converts a call to the arguments of `fetch`; an object body becomes JSON. */
export function initOf({ method, headers = {}, body }: Call): {
  method: string
  headers: Record<string, string>
  body?: string
} {
  if (body === undefined) return { method, headers }
  if (typeof body === 'string') return { method, headers, body }
  return {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}
