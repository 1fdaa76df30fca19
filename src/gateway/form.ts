import { abortError } from './errors.ts'
import type { JsonObject, JsonValue } from './json.ts'

/**
 * Reads a form as the fields that JSON would have carried: texts, lists where a name comes twice, and files as
 * data URLs.
 *
 * @returns undefined when the content type is no form's.
 * @throws {GatewayError} for a form that breaks off or has no boundary.
 * @assumed §4.1 forms are not shown; wire §1.5 and §4.1.
 */
export async function readForm(bytes: Uint8Array, contentType: string): Promise<JsonObject | undefined> {
  const kind = contentType.trimStart().toLowerCase()
  if (kind.startsWith('application/x-www-form-urlencoded')) {
    return fieldsOf(new URLSearchParams(new TextDecoder().decode(bytes)))
  }
  if (!kind.startsWith('multipart/form-data')) return undefined
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
  const fields = new Map<string, JsonValue>()
  for (const [key, value] of entries) {
    const name = key.replace(/\[\]$/, '')
    const known = fields.get(name)
    const isList = key !== name || known !== undefined
    fields.set(name, isList ? [...(known === undefined ? [] : [known].flat()), value] : value)
  }
  return Object.fromEntries(fields)
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
