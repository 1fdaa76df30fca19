import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GatewayRequest, RequestWork } from '../../gateway/request.ts'

/** What the HTTP transport needs to know besides the simulator. */
export interface HttpListenerOptions {
  /** What links begin with when a request doesn't say where it was sent. */
  origin: () => string
  scheme: 'http' | 'https'
  /** What a clock must know of the work on a request, if processes take part in it. */
  workOf?: (request: IncomingMessage, response: ServerResponse) => RequestWork | undefined
  /** Called with the message of an internal error. */
  onBug: (message: string) => void
}

const wellFormedHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** The request as the gateway takes it. */
export function readRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, scheme, workOf }: Pick<HttpListenerOptions, 'origin' | 'scheme' | 'workOf'>,
): GatewayRequest {
  const { headers } = request
  const { host } = headers
  const contentLength = headers['content-length']
  const announcedBytes = contentLength === undefined ? undefined : Number(contentLength)
  const hasBody = headers['transfer-encoding'] !== undefined || (announcedBytes ?? 0) > 0
  const isHostValid = host === undefined ? request.httpVersion === '1.0' : wellFormedHost.test(host)
  return {
    transport: 'socket',
    method: request.method!,
    target: request.url!,
    headers,
    origin: host !== undefined && isHostValid ? `${scheme}://${host}` : origin(),
    left: () => disconnectSignal(response),
    body: hasBody ? readBody(request, announcedBytes) : undefined,
    announcedBytes,
    ...(workOf && { work: workOf(request, response) }),
    problem: isHostValid
      ? undefined
      : `the Host header must name one host, not ${JSON.stringify(host?.slice(0, 100) ?? null)}`,
  }
}

/** Bodies up to this size are collected into one piece. */
const smallBytes = 64 * 1024

/**
 * Small bodies are collected by plain listeners: the iterator of a stream costs more than deciding the response.
 * @param announcedBytes its `Content-Length`; node:http accepts no more than that.
 */
function readBody(request: IncomingMessage, announcedBytes: number | undefined): GatewayRequest['body'] {
  const isSmall = announcedBytes !== undefined && announcedBytes <= smallBytes
  return isSmall ? () => collectBody(request) : iterateBody(request)
}

async function* iterateBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A body that is refused halfway must not destroy the socket: the client is to see why.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  } finally {
    // The rest is drained, or the next request on the connection would wait for it.
    request.resume()
  }
}

function collectBody(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)))
    request.on('error', reject)
    // A client that disconnects in the middle causes neither an end nor an error.
    request.on('close', () => {
      if (!request.readableEnded) reject(new Error('the client left before the end of its body'))
    })
  })
}

/**
 * A signal that is aborted when the client disconnects before its response is complete. A pipelined response gets no
 * 'close' before it owns the socket, so the socket is listened to as well.
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
  // Each pipelined request listens to the same socket. Node takes eleven listeners for a leak, and would warn.
  else socket.setMaxListeners(0).once('close', closeWaiting)
  return controller.signal
}
