import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '../gateway/parts.ts'
import type { Incoming } from '../gateway/incoming.ts'
import type { Simulator } from '../simulator.ts'
import { isPaced, isReady, ready, type ReadyReply } from './deliver.ts'
import { BrokenOff } from './in-time.ts'

/** Larger bodies are handed to the socket in pieces, so that a slow client costs little memory. */
const pieceBytes = 256 * 1024

const wellFormedHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** What the socket door needs to know beside the simulator. */
export interface HttpDoorOptions {
  /** What links begin with when a request doesn't say where it was sent. */
  origin: () => string
  scheme: 'http' | 'https'
  /** Told of our own mistakes. */
  onBug: (message: string) => void
}

/**
 * The socket door: a listener for node:http. No fetch objects and no framework stand between the socket and
 * the simulator, and an answer that needs no waiting is written in the turn in which its request came.
 */
export function httpDoor(
  simulator: Simulator,
  options: HttpDoorOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const dateOf = dateHeaders()

  function begin(exchange: Exchange, request: IncomingMessage, response: ServerResponse): void {
    const { reply } = exchange
    if (response.destroyed) return exchange.settle('aborted', 0)
    if (!isReady(reply)) return void finishLater(exchange, request, response)
    const body = (reply.body as string | null) ?? ''
    const bytes = Buffer.byteLength(body)
    const length = reply.status === 204 ? undefined : bytes
    writeHead(response, reply.status, exchange.headers, dateOf(exchange.clock.now()), length)
    // Text of one byte a character, as nearly all is, needs no conversion on its way out.
    const isHead = request.method === 'HEAD'
    response.end(isHead ? '' : body, bytes === body.length ? 'latin1' : 'utf8')
    exchange.settle('completed', isHead ? 0 : bytes)
  }

  async function finishLater(
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      const reply = await ready(exchange, simulator.media, leaving(response))
      if (response.destroyed) return exchange.settle('aborted', 0)
      const date = dateOf(exchange.clock.now())
      writeHead(response, reply.status, reply.headers, date, lengthToTell(reply))
      const body = request.method === 'HEAD' ? null : reply.body
      if (isPaced(body)) return await writePieces(exchange, response, body)
      const sent = await writeBody(response, body)
      exchange.settle(!sent.whole ? 'aborted' : reply.failed ? 'failed' : 'completed', sent.bytes)
    } catch (error) {
      exchange.settle(response.destroyed ? 'aborted' : 'failed', 0)
      giveUp(error, response)
    }
  }

  async function writePieces(
    exchange: Exchange,
    response: ServerResponse,
    pieces: AsyncGenerator<string, void>,
  ): Promise<void> {
    let bytes = 0
    // Clients learn at once that their request was taken, however late the first piece is.
    response.flushHeaders()
    try {
      for await (const piece of pieces) {
        bytes += Buffer.byteLength(piece)
        if (!response.write(piece)) await drained(response)
      }
      const whole = await ended(response)
      exchange.settle(whole ? 'completed' : 'aborted', bytes)
    } catch (error) {
      exchange.settle(response.destroyed ? 'aborted' : 'failed', bytes)
      if (!(error instanceof BrokenOff)) return giveUp(error, response)
      // What was written is to arrive; then the connection is gone.
      response.socket?.end(() => response.destroy())
    }
  }

  function giveUp(error: unknown, response: ServerResponse): void {
    if (response.destroyed) return
    options.onBug(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    if (response.headersSent) return void response.destroy()
    response.writeHead(500, { 'Content-Type': 'application/json; charset=utf-8' })
    response.end('{"error":{"message":"Panic detected, error: the simulator failed","type":"new_api_panic"}}')
  }

  return (request, response) => {
    try {
      const exchange = simulator.handle(incomingOf(request, response, options))
      if (!(exchange instanceof Promise)) return begin(exchange, request, response)
      exchange
        .then((settled) => begin(settled, request, response))
        .catch((error: unknown) => giveUp(error, response))
    } catch (error) {
      giveUp(error, response)
    }
  }
}

function incomingOf(request: IncomingMessage, response: ServerResponse, options: HttpDoorOptions): Incoming {
  const { headers } = request
  const { host } = headers
  const announced = headers['content-length']
  const hasBody = headers['transfer-encoding'] !== undefined || (announced !== undefined && announced !== '0')
  const hostFits = host === undefined ? request.httpVersion === '1.0' : wellFormedHost.test(host)
  return {
    door: 'socket',
    method: request.method!,
    target: request.url!,
    headers,
    origin: host !== undefined && hostFits ? `${options.scheme}://${host}` : options.origin(),
    left: () => leaving(response),
    // A body that is refused halfway must not take the socket along: the client is to see why.
    ...(hasBody ? { body: request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array> } : {}),
    ...(announced === undefined ? {} : { announcedBytes: Number(announced) }),
    ...(hostFits
      ? {}
      : {
          problem: `the Host header must name one host, not ${JSON.stringify(host?.slice(0, 100) ?? null)}`,
        }),
  }
}

/** @param bytes the length of the body, where no header tells it. */
function writeHead(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  date: string,
  bytes?: number,
): void {
  response.sendDate = false
  response.writeHead(
    status,
    bytes === undefined
      ? [...headers, 'Date', date]
      : [...headers, 'Date', date, 'Content-Length', String(bytes)],
  )
}

/** Media tell their length themselves, and an answer without content has none. */
function lengthToTell({ status, headers, body }: ReadyReply): number | undefined {
  if (status === 204 || status === 304 || headers.includes('Content-Length') || isPaced(body))
    return undefined
  return body === null ? 0 : Buffer.byteLength(body)
}

/** Writes a body at the client's pace. A client that leaves ends it. */
async function writeBody(
  response: ServerResponse,
  body: string | Uint8Array | null,
): Promise<{ whole: boolean; bytes: number }> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  let at = 0
  while (at < bytes.length && !response.destroyed) {
    const piece = bytes.subarray(at, at + pieceBytes)
    at += piece.length
    if (!response.write(piece)) await drained(response)
  }
  return { whole: await ended(response), bytes: at }
}

/** @returns whether everything was handed over before the client left. */
async function ended(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return false
  const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
  response.end()
  await Promise.race([closed, new Promise<void>((resolve) => response.once('finish', resolve))])
  return response.writableFinished
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.once('drain', go).once('close', go)
  })
}

/** A signal that is aborted when the client leaves before its answer is complete. */
function leaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort()
  })
  return controller.signal
}

/** The `Date` header is virtual, like all time here. Writing dates is slow, and they change once a second. */
function dateHeaders(): (now: number) => string {
  let second = NaN
  let text = ''
  return (now) => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      text = new Date(now).toUTCString()
    }
    return text
  }
}
