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
  const isMeant = ([name]: [string, unknown]): boolean => !ignored.includes(name)
  const meant = ignored.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(isMeant))
  return hash128Hex(`${operation}\n${canonicalJson(meant as JsonValue)}`)
}

/** JSON with its keys in order. */
function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  for (const field of inOrder(Object.keys(value))) {
    text += `${text === '' ? '' : ','}${JSON.stringify(field)}:${canonicalJson(value[field]!)}`
  }
  return `{${text}}`
}

/** Sorting takes longer than finding that there is nothing to sort. */
function inOrder(names: string[]): string[] {
  const isSorted = names.every((name, at) => at === 0 || names[at - 1]! < name)
  return isSorted ? names : names.sort()
}
