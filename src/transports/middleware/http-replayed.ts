import { IncomingMessage } from 'node:http'
import { mediaType } from '../../gateway/bodies/media-type.ts'

/** A body that was read before the request came here, and can't be had again. The message says what to do. */
export class BodyAlreadyReadError extends Error {
  override name = 'BodyGone'
}

/** What body parsers leave behind. */
interface Parsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * The request with its body, whoever has read that before: a parser in front leaves fields behind, which are written as
 * a body again. A request that nobody has read is returned as it is.
 *
 * @throws {BodyAlreadyReadError} where what was read is not to be had again, such as a multipart form.
 */
export function withUnreadBody(request: IncomingMessage): IncomingMessage {
  if (!hasBody(request) || !request.readableDidRead) return request
  return replayed(request, bodyAgain(request))
}

/** The same request as one that has just come in, with a body that is all there. */
export function replayed(request: IncomingMessage, body: Uint8Array): IncomingMessage {
  const again = new IncomingMessage(request.socket)
  // What was parsed was decoded, too.
  const {
    'content-encoding': _decoded,
    'transfer-encoding': _whole,
    ...headers
  } = { ...request.headers, 'content-length': String(body.length) }
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor } = request
  Object.assign(again, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, headers })
  again.complete = true
  again.push(body)
  again.push(null)
  return again
}

/** Whether a request says that a body comes along. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function bodyAgain(request: IncomingMessage): Uint8Array {
  const { body, rawBody } = request as Parsed
  if (rawBody instanceof Uint8Array) return rawBody
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return Buffer.from(body)
  const type = mediaType(request.headers['content-type'] ?? '')
  if (typeof body === 'object' && body !== null) {
    if (/[/+]json$/.test(type)) return Buffer.from(JSON.stringify(body))
    if (type === 'application/x-www-form-urlencoded') return Buffer.from(formOf(body))
  }
  throw new BodyAlreadyReadError(
    `Failed to answer ${request.method} ${request.url}: its body (${type === '' ? 'of no type' : type.slice(0, 80)}) was read ` +
      "before it came to greenroom, and can't be had again. Mount sim.middleware() in front of what reads bodies.",
  )
}

/** Fields as a form: lists by their name again, groups in brackets. */
function formOf(fields: object): string {
  const form = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) add(name, each)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) add(`${name}[${key}]`, inner)
    } else form.append(name, String(value))
  }
  for (const [name, value] of Object.entries(fields)) add(name, value)
  return form.toString()
}
