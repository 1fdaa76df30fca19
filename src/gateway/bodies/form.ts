import { caps } from '../../engine/caps.ts'
import { tooLarge } from './body.ts'
import { abortError, type GatewayError } from '../replies/errors.ts'
import { mediaType } from '../request.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { decodeBase64, encodeBase64 } from './base64.ts'

/**
 * Reads a form as fields, as if they came in JSON: texts, lists for repeated names, and files as data URLs.
 *
 * @returns undefined if the content type is not that of a form.
 * @throws {GatewayError} for a form that is incomplete or has no boundary, and for an urlencoded form that is too large.
 * @assumed §4.1 forms are not documented; wire §1.5 and §4.1.
 */
export function readForm(bytes: Uint8Array, contentType: string): JsonObject | undefined {
  const kind = mediaType(contentType)
  if (kind === 'application/x-www-form-urlencoded') {
    if (bytes.length > caps.formBytes) throw tooLarge(caps.formBytes, 'URL-encoded form')
    const text = new TextDecoder().decode(bytes)
    if (timesIn(text, '&') >= caps.formFields) throw tooManyFields()
    return fieldsOf(new URLSearchParams(text))
  }
  if (kind !== 'multipart/form-data') return undefined
  const parts = readParts(bytes, contentType)
  if (!parts) throw malformed(boundaryOf(contentType)?.length ?? 0)
  return fieldsOf(parts.map((part): [string, string] => [part.name, valueOf(part)]))
}

function fieldsOf(entries: Iterable<[string, string]>): JsonObject {
  const fields = new Map<string, { values: JsonValue[]; isList: boolean }>()
  let count = 0
  for (const [key, value] of entries) {
    if (++count > caps.formFields) throw tooManyFields()
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

/** Counts occurrences, at most one more than the maximum number of fields. */
function timesIn(text: string, what: string): number {
  let count = 0
  for (let at = text.indexOf(what); at >= 0 && count <= caps.formFields + 1; at = text.indexOf(what, at + 1))
    count++
  return count
}

function valueOf({ fileType, bytes }: FormPart): string {
  return fileType === undefined
    ? new TextDecoder().decode(bytes)
    : `data:${fileType};base64,${encodeBase64(bytes)}`
}

/** The longest boundary that RFC 2046 allows. */
export const maxBoundary = 70

/** The maximum number of blanks after a boundary. */
const maxPadding = 1_000

/** The maximum size of the headers of one part. */
export const maxPartHeaderBytes = 8 * 1024

/** A part of a form: a file if it has a file name, otherwise a text. */
export interface FormPart {
  readonly name: string
  /** The media type of a file; undefined for a text. */
  readonly fileType: string | undefined
  readonly bytes: Uint8Array
}

/**
 * Parses a multipart form as leniently as the gateway does: names without quotes, and files named by `filename*` alone, are
 * valid. Bytes before the first boundary, bytes after the last, and parts without a name are ignored. So clients of every
 * language work, both in Node and in pages.
 *
 * @param contentType with its boundary.
 * @returns undefined for a form that has no boundary or is incomplete.
 * @throws {GatewayError} for a form with too many parts or headers.
 */
export function readParts(bytes: Uint8Array, contentType: string): FormPart[] | undefined {
  const boundary = boundaryOf(contentType)
  if (boundary === undefined || boundary.length > maxBoundary) return undefined
  const text = byteText(bytes)
  const mark = `--${boundary}`
  const parts: FormPart[] = []
  let [count, headerBytes] = [0, 0]
  let at = text.startsWith(mark) ? 0 : text.indexOf(`\n${mark}`) + 1
  if (at === 0 && !text.startsWith(mark)) return undefined
  for (;;) {
    at += mark.length
    if (text.startsWith('--', at)) return parts
    const head = text.indexOf('\n', at) + 1
    if (head === 0 || head - at > maxPadding || text.slice(at, head).trim() !== '') return undefined
    const newline = text[head - 2] === '\r' ? '\r\n' : '\n'
    // The headers or the content may be empty.
    const headEnd = text.indexOf(newline + newline, head - newline.length)
    const content = headEnd + 2 * newline.length
    const end = headEnd < 0 ? -1 : text.indexOf(newline + mark, content - newline.length)
    if (headEnd - head > maxPartHeaderBytes) throw tooLongHead('a part of a form has', maxPartHeaderBytes)
    if (end < 0) return undefined
    if (++count > caps.formFields) throw tooManyFields()
    headerBytes += headEnd - head
    if (headerBytes > caps.formHeaderBytes)
      throw tooLongHead('the parts of a form have', caps.formHeaderBytes)
    const part = partOf(
      bytes.subarray(head, Math.max(head, headEnd)),
      bytes.subarray(content, Math.max(content, end)),
    )
    if (part) parts.push(part)
    at = end + newline.length
  }
}

/**
 * Decodes one character per byte, so that positions in the text equal positions in the bytes. Node's own decoder is much
 * faster.
 */
function byteText(bytes: Uint8Array): string {
  if (typeof globalThis.Buffer !== 'function') return new TextDecoder('latin1').decode(bytes)
  return globalThis.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

/** The refusal of a form that is incomplete, or whose boundary is missing or too long. */
function malformed(boundaryLength: number): GatewayError {
  const error = abortError(400, 'Invalid request: Invalid request: invalid multipart form')
  if (boundaryLength <= maxBoundary) return error
  return error.withHint(`The boundary has ${boundaryLength} characters. Use at most ${maxBoundary}.`)
}

/** The refusal of a form with too many fields. */
function tooManyFields(): GatewayError {
  return abortError(400, `Invalid request: a form has at most ${caps.formFields} fields`)
}

function tooLongHead(what: string, maxBytes: number): GatewayError {
  return abortError(400, `Invalid request: ${what} at most ${maxBytes} bytes of headers`)
}

function boundaryOf(contentType: string): string | undefined {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  return quoted ?? plain
}

function partOf(head: Uint8Array, content: Uint8Array): FormPart | undefined {
  const lines = new TextDecoder().decode(head).split(/\r?\n/)
  const header = (name: string): string =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim() ?? ''
  const disposition = header('content-disposition')
  const { name = '', filename, 'filename*': encoded } = parametersOf(disposition)
  if (name === '' || !/^form-data\s*(?:;|$)/i.test(disposition)) return undefined
  const isBase64 = header('content-transfer-encoding').toLowerCase() === 'base64'
  return {
    name,
    // Browsers send an empty file name if no file was chosen.
    fileType:
      (filename ?? encoded ?? '') === '' ? undefined : header('content-type').toLowerCase() || 'text/plain',
    bytes: isBase64 ? decodeContent(content) : content,
  }
}

/** The parameters of a header, such as `form-data; name="image"; filename=kite.png`. */
function parametersOf(header: string): Readonly<Record<string, string | undefined>> {
  const found = header.matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g)
  return Object.fromEntries(
    [...found].map(([, name, quoted, plain = '']) => [
      name!.toLowerCase(),
      quoted === undefined ? plain : unescapeValue(quoted),
    ]),
  )
}

const signs: Readonly<Record<string, string>> = {
  '%0A': '\n',
  '%0D': '\r',
  '%22': '"',
  '\\"': '"',
  '\\\\': '\\',
}

/** Removes the escapes of a quoted value. Browsers escape by percent, other clients by backslash. */
function unescapeValue(text: string): string {
  return text.replace(/%0A|%0D|%22|\\["\\]/gi, (sign) => signs[sign.toUpperCase()]!)
}

/** Decodes the content if it is base64. Content that is not stays unchanged. */
function decodeContent(content: Uint8Array): Uint8Array {
  const decoded = decodeBase64(byteText(content), Infinity)
  return typeof decoded === 'string' ? content : decoded
}
