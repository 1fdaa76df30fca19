import { hash128Hex } from '../engine/hash128.ts'
import type { JsonObject, JsonValue } from './json.ts'

/**
 * What a request asks for, as a hash: the same fields in any order have the same identity. Dice and ids are
 * keyed by it, so they don't depend on when a request arrives.
 *
 * @param operation who is asked.
 * @param body the parsed fields, with pictures replaced by their digests.
 * @param ignored fields that differ from call to call and mean nothing, such as a nonce.
 */
export function identityOf(operation: string, body: JsonObject, ignored: readonly string[] = []): string {
  const meant = Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.includes(name)))
  return hash128Hex(`${operation}\n${canonicalJson(meant as JsonValue)}`)
}

/** JSON with its keys in order. */
function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields = Object.keys(value).toSorted()
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonicalJson(value[field]!)}`).join(',')}}`
}
