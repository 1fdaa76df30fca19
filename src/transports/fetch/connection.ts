import type { ClientError, ConnectionEnd } from '../../engine/connection-end.ts'

/** The connection of an `http.request` that MSW intercepts. */
export interface ClientConnection {
  /** Aborted when the client leaves before its response is complete. */
  readonly signal: AbortSignal
  /** Closes the connection, with the error that a socket would have. */
  readonly close: (error?: Error) => void
}

/** The part of a client's socket in MSW that is used here. */
interface ClientSocket {
  emit: (event: 'error', error: Error) => unknown
  listenerCount: (event: 'error') => number
  destroy: () => unknown
}

/**
 * The part of node:http's `ClientRequest` that is used here. No import of its type, since this file also runs in browsers.
 */
interface ClientRequest {
  readonly destroyed: boolean
  readonly socket: ClientSocket | null
  readonly res?: { readonly complete: boolean }
  once: (event: 'close', listener: () => void) => unknown
  destroy: (error?: Error) => unknown
}

/**
 * The connection behind a request from MSW, if its client is built on `http.request`. For such a client, MSW 2 neither
 * aborts `request.signal` nor passes on the error of a response. MSW 3 does not expose the client's request.
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

/** If the error were passed to `destroy`, MSW's socket would emit it twice, and clients that listen once would crash. */
function closeSocket(socket: ClientSocket, error: Error | undefined): void {
  if (error && socket.listenerCount('error') > 0) socket.emit('error', error)
  socket.destroy()
}

/**
 * Found by its description, because MSW's own accessor is in a package that users don't install, and each build has its own
 * symbol.
 */
function findClientRequest(request: Request): ClientRequest | undefined {
  const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'kRawRequest')
  if (key === undefined) return undefined
  const raw = (request as unknown as Record<symbol, Partial<ClientRequest> | undefined>)[key]
  const isClientRequest = typeof raw?.once === 'function' && typeof raw.destroy === 'function'
  return isClientRequest ? (raw as ClientRequest) : undefined
}

/** The error that `http.request` emits when a connection ends; undefined if it emits none. */
export function createRequestError({ requestError }: ConnectionEnd): Error | undefined {
  return requestError && errorOf(requestError)
}

/** The error with which Node's `fetch` rejects if no response arrives over a socket. */
export function createFetchError({ fetchCause }: ConnectionEnd): TypeError {
  return new TypeError('fetch failed', { cause: errorOf(fetchCause) })
}

/** The error with which reading a body rejects in Node, if the body breaks off on a socket. */
export function createFetchBodyError({ fetchCause }: ConnectionEnd): TypeError {
  return new TypeError('terminated', { cause: errorOf(fetchCause) })
}

/**
 * A network error for MSW, whose `fetch` always rejects with "Failed to fetch" and sets this response as the cause. So the
 * response carries the cause that a socket would have, even when MSW 2.13 clones it.
 */
export function networkError({ cause }: TypeError): Response {
  const { name, message, ...fields } = cause as Error
  const response = Object.assign(Response.error(), { name, message, ...fields })
  return Object.defineProperty(response, 'clone', { value: () => response })
}

function errorOf({ name, message, fields }: ClientError): Error {
  return Object.assign(new Error(message), name === 'Error' ? {} : { name }, fields)
}
