import { readdirSync, readFileSync } from 'node:fs'
import type { EmbeddedOptions } from '../../src/index.ts'

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

/** The names of the files in fixtures/golden. */
export const goldenNames = readdirSync(folder).filter((name) => name.endsWith('.json'))

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
