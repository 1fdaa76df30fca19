import { abortError } from './errors.ts'
import { mediaType } from './media-type.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Far more than any request has. */
const mostFields = 1_000

/**
 * Reads a form as the fields that JSON would have carried: texts, lists where a name comes twice, and files as
 * data URLs.
 *
 * @returns undefined when the content type is no form's.
 * @throws {GatewayError} for a form that breaks off or has no boundary.
 * @assumed §4.1 forms are not shown; wire §1.5 and §4.1.
 */
export async function readForm(bytes: Uint8Array, contentType: string): Promise<JsonObject | undefined> {
  const kind = mediaType(contentType)
  if (kind === 'application/x-www-form-urlencoded') {
    return fieldsOf(new URLSearchParams(new TextDecoder().decode(bytes)))
  }
  if (kind !== 'multipart/form-data') return undefined
  let form: FormData
  try {
    form = await new Response(bytes as BodyInit, { headers: { 'Content-Type': contentType } }).formData()
  } catch {
    throw abortError(400, 'Invalid request: Invalid request: invalid multipart form')
  }
  const fields: [string, string][] = []
  for (const [name, value] of form) {
    fields.push([name, typeof value === 'string' ? value : await dataUrl(value)])
  }
  return fieldsOf(fields)
}

function fieldsOf(entries: Iterable<[string, string]>): JsonObject {
  const fields = new Map<string, { values: JsonValue[]; isList: boolean }>()
  let count = 0
  for (const [key, value] of entries) {
    if (++count > mostFields)
      throw abortError(400, `Invalid request: a form has at most ${mostFields} fields`)
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

async function dataUrl(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return `data:${file.type || 'application/octet-stream'};base64,${base64Of(bytes)}`
}

function base64Of(bytes: Uint8Array): string {
  if (typeof globalThis.Buffer === 'function') return globalThis.Buffer.from(bytes).toString('base64')
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
