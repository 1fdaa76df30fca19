import { hash128Hex } from '../engine/random/hash.ts'
import type { JsonObject, JsonValue } from './bodies/json.ts'

/** A name in a path, as a field. */
interface NamedField {
  readonly field: string
  readonly value: string
}

/**
 * Hashes what a request asks for. The order of fields doesn't matter. Random draws and ids are keyed by the hash, so they
 * don't depend on when a request arrives.
 *
 * @param operation the name of the operation.
 * @param body the parsed fields, with pictures replaced by their digests.
 * @param ignored fields without meaning that differ from call to call, such as a nonce.
 * @param named the names in the path. Each counts as a field, and replaces a field of the same name.
 */
export function identityOf(
  operation: string,
  body: JsonObject,
  ignored: readonly string[] = [],
  named?: NamedField,
): string {
  const names = Object.keys(body)
  if (named && !names.includes(named.field)) names.push(named.field)
  const meant = ignored.length === 0 ? names : names.filter((name) => !ignored.includes(name))
  return hash128Hex(withFields(`${operation}\n`, meant, body, named))
}

/** Appends a value as JSON with sorted keys. Appending to one string is faster than joining many. */
function withValue(text: string, value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return text + JSON.stringify(value)
  if (!Array.isArray(value)) return withFields(text, Object.keys(value), value)
  let longer = `${text}[`
  for (let at = 0; at < value.length; at++) longer = withValue(at === 0 ? longer : `${longer},`, value[at]!)
  return `${longer}]`
}

function withFields(text: string, names: string[], fields: JsonObject, named?: NamedField): string {
  let longer = `${text}{`
  let separator = ''
  for (const name of names.sort()) {
    const value = name === named?.field ? named.value : fields[name]!
    longer = withValue(`${longer}${separator}${JSON.stringify(name)}:`, value)
    separator = ','
  }
  return `${longer}}`
}
