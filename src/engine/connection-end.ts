/** How a connection ends in place of a response, or in the middle of one. A transport only carries it out. */
export interface ConnectionEnd extends ConnectionEndFacts {
  /** Recordings compare the name. */
  readonly toJSON: () => string
}

interface ConnectionEndFacts {
  readonly name: string
  /** What happens, in the stored messages of an exchange. */
  readonly description: string
  /** Whether the client gets an RST instead of a FIN. */
  readonly isReset?: true
  /**
   * The bytes before the end. Text is sent as Latin-1.
   * @param head the start line and the headers of the response; empty in the middle of a body.
   */
  readonly lastBytes?: (head: string) => string | Uint8Array
  /** The cause of the error of Node's `fetch`. */
  readonly fetchCause: ClientError
  /** The error of `http.request`. Undefined: the response is `aborted`, as when a socket closes. */
  readonly requestError?: ClientError
}

/** An error of Node's own clients, as measured on Node 20 and 24. */
export interface ClientError {
  readonly name: string
  readonly message: string
  readonly fields: Readonly<Record<string, string | number>>
}

export function defineConnectionEnd(facts: ConnectionEndFacts): ConnectionEnd {
  return { ...facts, toJSON: () => facts.name }
}

const resetError: ClientError = {
  name: 'Error',
  message: 'read ECONNRESET',
  fields: { errno: -104, code: 'ECONNRESET', syscall: 'read' },
}

const reset = { name: 'reset', isReset: true, fetchCause: resetError, requestError: resetError } as const

export const resetUnanswered = defineConnectionEnd({
  ...reset,
  description: 'the connection was reset before a response',
})

export const resetInBody = defineConnectionEnd({ ...reset, description: 'the connection was reset here' })

const close = {
  name: 'close',
  fetchCause: { name: 'SocketError', message: 'other side closed', fields: { code: 'UND_ERR_SOCKET' } },
} as const

export const closedUnanswered = defineConnectionEnd({
  ...close,
  description: 'the connection was closed before a response',
  requestError: { name: 'Error', message: 'socket hang up', fields: { code: 'ECONNRESET' } },
})

export const closedInBody = defineConnectionEnd({ ...close, description: 'the connection was closed here' })

/**
 * The errors of clients that receive bytes which are not HTTP. Node 24 sets no code for `fetch`.
 * @param code that of Node's parser.
 */
export function parserErrors(
  code: string,
  fetchReason: string,
  reason = fetchReason,
): { readonly fetchCause: ClientError; readonly requestError: ClientError } {
  const message = `Response does not match the HTTP/1.1 protocol (${fetchReason})`
  return {
    fetchCause: { name: 'HTTPParserError', message, fields: { code } },
    requestError: { name: 'Error', message: `Parse Error: ${reason}`, fields: { code, reason } },
  }
}
