import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GatewayRequest, RequestWork } from '../../gateway/request.ts'

/** The options of the HTTP transport, in addition to the simulator. */
export interface HttpListenerOptions {
  /** Returns the beginning of links for requests without a Host. */
  origin: () => string
  scheme: 'http' | 'https'
  /** Connects the work on a request to the clock, if processes take part in it. */
  workOf?: (request: IncomingMessage, response: ServerResponse) => RequestWork | undefined
  /** Called with the message of an internal error. */
  onBug: (message: string) => void
}

const wellFormedHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The authority of a target in absolute form, such as `GET http://host/path`. */
const absoluteTarget = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i

/** Replaces the Host by the authority of an absolute target, also for the check against rebound names: RFC 9112 §3.2.2. */
function readHeaders({ url, headers }: IncomingMessage): IncomingMessage['headers'] {
  const host = url!.startsWith('/') ? undefined : absoluteTarget.exec(url!)?.[1]
  return host === undefined ? headers : { ...headers, host }
}

/** Converts a request of node:http to a request of the gateway. */
export function readRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, scheme, workOf }: Pick<HttpListenerOptions, 'origin' | 'scheme' | 'workOf'>,
): GatewayRequest {
  const headers = readHeaders(request)
  const { host } = headers
  const contentLength = headers['content-length']
  const announcedBytes = contentLength === undefined ? undefined : Number(contentLength)
  const hasBody = headers['transfer-encoding'] !== undefined || (announcedBytes ?? 0) > 0
  const isFit = (each: string | undefined): boolean =>
    each === undefined ? request.httpVersion === '1.0' : wellFormedHost.test(each)
  const sentHost = request.headers.host
  const isHostValid = isFit(host) && (host === sentHost || isFit(sentHost))
  return {
    transport: 'socket',
    method: request.method!,
    target: request.url!,
    headers,
    origin: host !== undefined && isHostValid ? `${scheme}://${host}` : origin(),
    left: () => disconnectSignal(response),
    body: hasBody ? readBody(request, announcedBytes) : undefined,
    announcedBytes,
    work: workOf?.(request, response),
    problem: isHostValid
      ? undefined
      : `the Host header must name one host, not ${JSON.stringify(host?.slice(0, 100) ?? null)}`,
  }
}

/** Bodies up to this size are collected into one piece. */
const smallBytes = 64 * 1024

/**
 * Small bodies are collected by plain listeners: the iterator of a stream costs more than deciding the response.
 * @param announcedBytes its `Content-Length`; node:http accepts no further bytes.
 */
function readBody(request: IncomingMessage, announcedBytes: number | undefined): GatewayRequest['body'] {
  const isSmall = announcedBytes !== undefined && announcedBytes <= smallBytes
  return isSmall ? () => collectBody(request) : iterateBody(request)
}

async function* iterateBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A body that is refused halfway must not destroy the socket, or the client would not see why.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } finally {
    // Drains the rest: otherwise the next request on the connection would wait for it.
    request.resume()
  }
}

function collectBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)))
    request.on('error', reject)
    // A client that disconnects before the end causes neither `end` nor `error`.
    request.on('close', () => {
      if (!request.readableEnded) reject(new Error('the client left before the end of its body'))
    })
  })
}

/**
 * A signal that is aborted when the client disconnects before its response is complete. A pipelined response gets no
 * 'close' before it owns the socket, so this listens to the socket too.
 */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const { socket } = response.req
  const closeWaiting = (): void => {
    if (response.socket || response.writableFinished) return
    response.destroy()
    response.emit('close')
  }
  response.once('close', () => {
    socket.off('close', closeWaiting)
    if (!response.writableFinished) controller.abort()
  })
  if (response.destroyed) controller.abort()
  else if (socket.destroyed) closeWaiting()
  // Each pipelined request listens to the same socket. Node would warn of a leak at the eleventh listener.
  else socket.setMaxListeners(0).once('close', closeWaiting)
  return controller.signal
}
