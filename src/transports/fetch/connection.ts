import { type NoResponse, type BodyBreak } from '../../engine/reply.ts'

/** The connection of an `http.request` that MSW intercepts. */
export interface ClientConnection {
  /** Aborted when the client leaves before its response is complete. */
  readonly signal: AbortSignal
  /** Closes the connection, with the error that a socket would have. */
  readonly close: (error?: Error) => void
}

/** The part of the socket that MSW gives to a client. */
interface ClientSocket {
  emit: (event: 'error', error: Error) => unknown
  listenerCount: (event: 'error') => number
  destroy: () => unknown
}

/** The part of node:http's `ClientRequest` that is used here; this file also runs in browsers. */
interface ClientRequest {
  readonly destroyed: boolean
  readonly socket: ClientSocket | null
  readonly res?: { readonly complete: boolean }
  once: (event: 'close', listener: () => void) => unknown
  destroy: (error?: Error) => unknown
}

/**
 * The connection behind a request from MSW, if its client is built on `http.request`. For those, MSW 2 neither aborts
 * `request.signal` nor passes on which error a response has. MSW 3 does not expose the client's request.
 */
export function findConnection(request: Request): ClientConnection | undefined {
  const client = findClientRequest(request)
  if (!client) return undefined
  const controller = new AbortController()
  const leave = (): void => {
    if (!client.res?.complete) controller.abort()
  }
  if (client.destroyed) leave()
  else client.once('close', leave)
  return {
    signal: controller.signal,
    close: (error) => {
      if (client.socket) closeSocket(client.socket, error)
      else client.destroy(error)
    },
  }
}

/** Given to `destroy`, MSW's socket emits an error twice, and clients that listen once would crash. */
function closeSocket(socket: ClientSocket, error: Error | undefined): void {
  if (error && socket.listenerCount('error') > 0) socket.emit('error', error)
  socket.destroy()
}

/** MSW's own accessor is part of a package that users do not install, and each of its builds has a symbol of its own. */
function findClientRequest(request: Request): ClientRequest | undefined {
  const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'kRawRequest')
  if (key === undefined) return undefined
  const raw = (request as unknown as Record<symbol, Partial<ClientRequest> | undefined>)[key]
  const isClientRequest = typeof raw?.once === 'function' && typeof raw.destroy === 'function'
  return isClientRequest ? (raw as ClientRequest) : undefined
}

/** What lies behind an error of fetch, in the words of Node's own client. */
interface Cause {
  readonly name: string
  readonly message: string
  readonly fields: Readonly<Record<string, string | number>>
}

const reset: Cause = {
  name: 'Error',
  message: 'read ECONNRESET',
  fields: { errno: -104, code: 'ECONNRESET', syscall: 'read' },
}
const closed: Cause = {
  name: 'SocketError',
  message: 'other side closed',
  fields: { code: 'UND_ERR_SOCKET' },
}
const unreadable = (code: string, why: string): Cause => ({
  name: 'HTTPParserError',
  message: `Response does not match the HTTP/1.1 protocol (${why})`,
  fields: { code },
})

const ofSilence: Readonly<Record<NoResponse, Cause>> = {
  reset,
  close: closed,
  'half-headers': closed,
  garbage: unreadable('HPE_INVALID_CONSTANT', 'Expected HTTP/'),
}

const ofBrokenBody: Readonly<Record<BodyBreak, Cause>> = {
  reset,
  close: closed,
  'malformed-chunk': unreadable('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size'),
}

const hungUp: Cause = { name: 'Error', message: 'socket hang up', fields: { code: 'ECONNRESET' } }
const unparsed = (code: string, reason: string): Cause => ({
  name: 'Error',
  message: `Parse Error: ${reason}`,
  fields: { code, reason },
})

/** The errors of node:http, for clients that are built on `http.request`. */
const httpCauses: Readonly<Record<NoResponse, Cause>> = {
  reset,
  close: hungUp,
  'half-headers': hungUp,
  garbage: unparsed('HPE_INVALID_CONSTANT', 'Expected HTTP/, RTSP/ or ICE/'),
}

/** The same for bodies. Without an error, the response is `aborted`, as it is when a socket closes. */
const httpBodyCauses: Readonly<Record<BodyBreak, Cause | undefined>> = {
  reset,
  close: undefined,
  'malformed-chunk': unparsed('HPE_INVALID_CHUNK_SIZE', 'Invalid character in chunk size'),
}

/** The error that `http.request` emits when no response arrives over a socket. Measured on Node 20 and 24. */
export function createRequestError(silence: NoResponse): Error {
  return errorOf(httpCauses[silence])
}

/** The error that `http.request` emits when a body breaks off on a socket; undefined if it emits none. */
export function createBodyError(how: BodyBreak): Error | undefined {
  const cause = httpBodyCauses[how]
  return cause && errorOf(cause)
}

/**
 * What `fetch` rejects with in Node when no answer comes over a socket. Measured on Node 20 and 24; the latter gives no
 * code to what can't be read as HTTP.
 */
export function fetchFailed(silence: NoResponse): TypeError {
  return new TypeError('fetch failed', { cause: errorOf(ofSilence[silence]) })
}

/** What reading a body rejects with in Node when it breaks off on a socket. */
export function terminated(how: BodyBreak): TypeError {
  return new TypeError('terminated', { cause: errorOf(ofBrokenBody[how]) })
}

/**
 * A network error as MSW takes one. Its `fetch` rejects with "Failed to fetch" whatever it is given, but hands this
 * response on as the cause: so it carries what a socket's cause would, also when MSW 2.13 clones it.
 */
export function networkError({ cause }: TypeError): Response {
  const { name, message, ...fields } = cause as Error
  const response = Object.assign(Response.error(), { name, message, ...fields })
  return Object.defineProperty(response, 'clone', { value: () => response })
}

function errorOf({ name, message, fields }: Cause): Error {
  return Object.assign(new Error(message), name === 'Error' ? {} : { name }, fields)
}
