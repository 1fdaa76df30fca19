import { abortError } from './errors.ts'
import { mediaType } from './media-type.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { mostFields, readParts, tooManyFields, type FormPart } from './multipart.ts'

/**
 * Reads a form as the fields that JSON would have carried: texts, lists where a name comes twice, and files as
 * data URLs.
 *
 * @returns undefined when the content type is no form's.
 * @throws {GatewayError} for a form that breaks off or has no boundary.
 * @assumed §4.1 forms are not shown; wire §1.5 and §4.1.
 */
export function readForm(bytes: Uint8Array, contentType: string): JsonObject | undefined {
  const kind = mediaType(contentType)
  if (kind === 'application/x-www-form-urlencoded') {
    const text = new TextDecoder().decode(bytes)
    if (timesIn(text, '&') >= mostFields) throw tooManyFields()
    return fieldsOf(new URLSearchParams(text))
  }
  if (kind !== 'multipart/form-data') return undefined
  const parts = readParts(bytes, contentType)
  if (!parts) throw abortError(400, 'Invalid request: Invalid request: invalid multipart form')
  return fieldsOf(parts.map((part) => [part.name, valueOf(part)]))
}

function fieldsOf(entries: Iterable<[string, string]>): JsonObject {
  const fields = new Map<string, { values: JsonValue[]; isList: boolean }>()
  let count = 0
  for (const [key, value] of entries) {
    if (++count > mostFields) throw tooManyFields()
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
  for (let at = text.indexOf(what); at >= 0 && count <= mostFields + 1; at = text.indexOf(what, at + 1))
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
