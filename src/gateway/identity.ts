import { hash128Hex } from '../engine/hash128.ts'
import type { JsonObject, JsonValue } from './json.ts'

/**
 * What a request asks for, as a hash: the same fields in any order have the same identity. Dice and ids are
 * keyed by it, so they don't depend on when a request arrives.
 *
 * @param operation who is asked.
 * @param body the parsed fields, with pictures replaced by their digests.
 * @param ignored fields that differ from call to call and mean nothing, such as a nonce.
 * @param named what the path names: it stands for a field, in place of one of the body's.
 */
export function identityOf(
  operation: string,
  body: JsonObject,
  ignored: readonly string[] = [],
  named?: { readonly field: string; readonly value: string },
): string {
  const names = Object.keys(body)
  if (named && !names.includes(named.field)) names.push(named.field)
  const meant = ignored.length === 0 ? names : names.filter((name) => !ignored.includes(name))
  const json = objectJson(meant, (name) => (name === named?.field ? named.value : body[name]!))
  return hash128Hex(`${operation}\n${json}`)
}

/** JSON with its keys in order. */
function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) {
    let text = ''
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item)}`
    return `[${text}]`
  }
  return objectJson(Object.keys(value), (name) => value[name]!)
}

function objectJson(names: string[], valueOf: (name: string) => JsonValue): string {
  let text = ''
  for (const name of inOrder(names)) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(valueOf(name))}`
  }
  return `{${text}}`
}

/** Most objects have few fields; those are put in their places sooner than a sort has begun. */
function inOrder(names: string[]): string[] {
  if (names.length > fewNames) return names.sort()
  for (let at = 1; at < names.length; at++) {
    const name = names[at]!
    let place = at
    for (; place > 0 && names[place - 1]! > name; place--) names[place] = names[place - 1]!
    names[place] = name
  }
  return names
}

const fewNames = 16
