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

export const goldenFile = (name: string): URL => new URL(name, folder)

export const goldenOf = (name: string): Golden => JSON.parse(readFileSync(goldenFile(name), 'utf8')) as Golden

/** The names of all files in fixtures/golden. */
export const allGoldenNames = readdirSync(folder).filter((name) => name.endsWith('.json'))
const prefixOf = (name: string): string => name.slice(0, name.indexOf('.'))
const prefixes = new Set(operations.map(prefixOf))
const isServed = (name: string): boolean => prefixes.has(prefixOf(name))
/** Those of the APIs that are removed from `src/apis`. */
export const removedNames = allGoldenNames.filter((name) => !isServed(name))

/** The operations with golden exchanges whose API is removed from `src/apis`. */
export const removedOperations = [
  ...new Set(removedNames.map((name) => name.split('.').slice(0, 2).join('.'))),
]

/** The folder of a path, such as `/v1/images`. */
const folderOf = (path: string): string => /^(?:\/[^/?]+){1,2}/.exec(path)?.[0] ?? path
const foldersOf = (names: readonly string[]): Set<string> =>
  new Set(names.map((name) => folderOf(goldenOf(name).request.path)))
const servedFolders = foldersOf(allGoldenNames.filter(isServed))

/** The folders of paths that no other API has. */
export const removedFolders = [...foldersOf(removedNames)].filter((each) => !servedFolders.has(each))

const usesRemoved = (name: string): boolean =>
  (goldenOf(name).before ?? []).some(
    (step) => typeof step !== 'string' && removedFolders.includes(folderOf(step.path)),
  )

/** The names of the files in fixtures/golden. Those of an API that is removed, or that use one, promise nothing. */
export const goldenNames = allGoldenNames.filter((name) => isServed(name) && !usesRemoved(name))

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
