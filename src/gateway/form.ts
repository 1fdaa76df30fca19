import { abortError, type GatewayError } from './errors.ts'
import { mediaType } from './media-type.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Far more than any request has. */
export const mostFields = 1_000

/** What a part of a form may say of itself; more takes the reader long. */
export const mostPartHeaderBytes = 8 * 1024

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
    const text = new TextDecoder().decode(bytes)
    if (timesIn(text, '&') >= mostFields) throw tooManyFields()
    return fieldsOf(new URLSearchParams(text))
  }
  if (kind !== 'multipart/form-data') return undefined
  checkParts(bytes, contentType)
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

function tooManyFields(): GatewayError {
  return abortError(400, `Invalid request: a form has at most ${mostFields} fields`)
}

/** Looks at the outlines of a form, since reading one of very many parts or headers would take long. */
function checkParts(bytes: Uint8Array, contentType: string): void {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return
  const text = new TextDecoder('latin1').decode(bytes)
  const mark = `--${boundary}`
  if (timesIn(text, mark) > mostFields + 1) throw tooManyFields()
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end - at <= mostPartHeaderBytes + mark.length) continue
    throw abortError(
      400,
      `Invalid request: a part of a form has at most ${mostPartHeaderBytes} bytes of headers`,
    )
  }
}

/** How often something stands in a text, counted no further than is wanted here. */
function timesIn(text: string, what: string): number {
  let count = 0
  for (let at = text.indexOf(what); at >= 0 && count <= mostFields + 1; at = text.indexOf(what, at + 1))
    count++
  return count
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
