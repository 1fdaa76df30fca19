import type { Steps } from '../../engine/clock/timers/steps.ts'
import { tooLarge } from './body.ts'
import { abortError } from '../replies/errors.ts'
import { mediaType } from './media-type.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { maxFields, readParts, tooManyFields, type FormPart } from './multipart.ts'

/**
 * How large a form of type application/x-www-form-urlencoded may be. Files, which are what makes forms large, come in forms
 * of the other type.
 */
export const maxEncodedFormBytes = 4 * 1024 * 1024

/** Larger parts are each read in a step of their own. */
const largePartBytes = 256 * 1024

/**
 * Reads a form as the fields that JSON would have carried: texts, lists where a name comes twice, and files as
 * data URLs.
 *
 * @returns undefined when the content type is no form's.
 * @throws {GatewayError} for a form that breaks off or has no boundary, and for an encoded one that is large.
 * @assumed §4.1 forms are not documented; wire §1.5 and §4.1.
 */
export function* readForm(bytes: Uint8Array, contentType: string): Steps<JsonObject | undefined> {
  const kind = mediaType(contentType)
  if (kind === 'application/x-www-form-urlencoded') {
    if (bytes.length > maxEncodedFormBytes) throw tooLarge(maxEncodedFormBytes, 'URL-encoded form')
    const text = new TextDecoder().decode(bytes)
    if (timesIn(text, '&') >= maxFields) throw tooManyFields()
    return fieldsOf(new URLSearchParams(text))
  }
  if (kind !== 'multipart/form-data') return undefined
  const parts = yield* readParts(bytes, contentType)
  if (!parts) throw abortError(400, 'Invalid request: Invalid request: invalid multipart form')
  const entries: [string, string][] = []
  for (const part of parts) {
    if (part.bytes.length > largePartBytes) yield
    entries.push([part.name, valueOf(part)])
  }
  return fieldsOf(entries)
}

function fieldsOf(entries: Iterable<[string, string]>): JsonObject {
  const fields = new Map<string, { values: JsonValue[]; isList: boolean }>()
  let count = 0
  for (const [key, value] of entries) {
    if (++count > maxFields) throw tooManyFields()
    const name = key.replace(/\[\]$/, '')
    const known = fields.get(name)
    if (known) {
      known.values.push(value)
      known.isList = true
    } else fields.set(name, { values: [value], isList: key !== name })
  }
  return Object.fromEntries(
    [...fields].map(([name, { values, isList }]) => [name, isList ? values : values[0]!]),
  )
}

/** How often something stands in a text, counted no further than is wanted here. */
function timesIn(text: string, what: string): number {
  let count = 0
  for (let at = text.indexOf(what); at >= 0 && count <= maxFields + 1; at = text.indexOf(what, at + 1))
    count++
  return count
}

function valueOf({ fileType, bytes }: FormPart): string {
  return fileType === undefined
    ? new TextDecoder().decode(bytes)
    : `data:${fileType};base64,${base64Of(bytes)}`
}

function base64Of(bytes: Uint8Array): string {
  if (typeof globalThis.Buffer === 'function') return globalThis.Buffer.from(bytes).toString('base64')
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
