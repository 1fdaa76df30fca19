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
