import type { IncomingMessage, ServerResponse } from 'node:http'
import { mediaType } from '../../gateway/request.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { createHttpListener } from '../http/http.ts'
import { nodeHttp } from '../http/node-http.ts'

/**
 * A middleware for Express, connect and the like: node:http's own request and response, and `next`.
 *
 * @example
 * import { createServer } from 'node:http'
 * const gateway: Middleware = sim.middleware()
 * const server = createServer((request, response) => {
 *   gateway(request, response, () => response.writeHead(404).end('not found'))
 * })
 * server.listen(0).close()
 */
export type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** The properties by which frameworks expose where a request was mounted. */
interface Mounted {
  readonly baseUrl?: unknown
  readonly originalUrl?: unknown
}

/**
 * Creates middleware for a user's server. It passes paths that the gateway doesn't serve to `next`. A request whose body
 * was read before, and can't be restored, goes there as an error.
 *
 * @param onBug called with the message of an internal error.
 */
export function createMiddleware(simulator: Simulator, onBug: (message: string) => void): Middleware {
  const listenerAt = (scheme: 'http' | 'https', mount: string): ReturnType<typeof createHttpListener> => {
    const below: Simulator = {
      ...simulator,
      // Links lead back to the path at which the application mounted the middleware.
      handle: (incoming) => simulator.handle({ ...incoming, origin: incoming.origin + mount }),
    }
    return createHttpListener(below, { origin: () => `${scheme}://localhost`, scheme, onBug })
  }
  let latest = { at: '', listener: listenerAt('http', '') }
  return (request, response, next) => {
    if (simulator.unserved(request.method!, request.url!) !== undefined) return next()
    let whole: IncomingMessage
    try {
      whole = withUnreadBody(request)
    } catch (error) {
      return next(error)
    }
    const scheme = 'encrypted' in request.socket ? 'https' : 'http'
    const mount = mountOf(request)
    const at = scheme === 'http' ? mount : `${scheme}:${mount}`
    // Applications mount the middleware at one path, so one listener is reused.
    if (at !== latest.at) latest = { at, listener: listenerAt(scheme, mount) }
    latest.listener(whole, response)
  }
}

/** The part of the path that the framework has removed. Express exposes it, other frameworks only expose the original URL. */
function mountOf(request: IncomingMessage): string {
  const { baseUrl, originalUrl } = request as Mounted
  if (typeof baseUrl === 'string') return baseUrl
  if (typeof originalUrl !== 'string' || !originalUrl.endsWith(request.url!)) return ''
  return originalUrl.slice(0, originalUrl.length - request.url!.length)
}

/** Thrown if the body was read before the request came here and can't be restored. The message says what to do. */
class BodyAlreadyReadError extends Error {
  override name = 'BodyGone'
}

/** The properties that body parsers set. */
interface Parsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

/**
 * Returns the request with a readable body. If a body parser has read it before, serializes its fields again.
 * @throws {BodyAlreadyReadError} for a body that can't be restored, such as a multipart form.
 */
function withUnreadBody(request: IncomingMessage): IncomingMessage {
  if (!hasBody(request) || !request.readableDidRead) return request
  return replayRequest(request, restoreBody(request))
}

/** A copy of a request, with a body that can be read again. */
export function replayRequest(request: IncomingMessage, body: Uint8Array): IncomingMessage {
  const again = new nodeHttp.IncomingMessage(request.socket)
  // A parsed body is decompressed and complete.
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

/** Whether a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

function restoreBody(request: IncomingMessage): Uint8Array {
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

/** Serializes fields as a form: lists repeat their name, nested fields are in brackets. */
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
