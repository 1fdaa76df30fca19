import { dateHeaders, hasHeader } from '../../gateway/replies/headers.ts'
import { ConnectionBreak } from '../../engine/reply.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { isPromise, untilAborted } from '../../engine/maybe-promise.ts'
import type { GatewayRequest, Transport } from '../../gateway/request.ts'
import type { MediaSource } from '../../media/source.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { Tally, waitOnClock } from '../body-chunks.ts'
import {
  asWholeResponse,
  contentOf,
  isChunked,
  prepareResponse,
  type WholeResponse,
} from '../prepare-response.ts'
import { createRequestError, createFetchError, type ClientConnection } from './connection.ts'
import { createPacedResponse, keepProcessAlive, withTee } from './paced-response.ts'
import { closedUnanswered } from '../../engine/connection-end.ts'

/**
 * Requests without a response yet. Node references a request's own signal weakly: without a strong reference to the
 * request, its abort would never arrive.
 */
const pendingRequests = new Set<Request>()
/** The same for those whose response is being read, for as long as its body is reachable. */
const requestOfBody = new WeakMap<ReadableStream<Uint8Array>, Request>()

/** The origin and the connection of a request. */
interface RequestSource {
  readonly transport: Transport
  /** The beginning of links. */
  readonly origin: string
  /** The part of the URL's path that belongs to the base URL. */
  readonly prefix: string
  /** The connection of a client that is built on `http.request`. It is closed if no response follows. */
  readonly connection?: ClientConnection | undefined
}

/** Aborted when the client leaves. */
function signalOf(request: Request, { connection }: RequestSource): AbortSignal {
  return connection?.signal ?? request.signal
}

/**
 * Answers a fetch request, for `sim.fetch` and MSW alike.
 *
 * @returns the response, or the error with which `fetch` rejects if none comes. Rejects as `fetch` does when the
 * request's signal is aborted.
 */
export async function answerRequest(
  simulator: Simulator,
  request: Request,
  source: RequestSource,
): Promise<Response | TypeError> {
  const signal = signalOf(request, source)
  signal.throwIfAborted()
  pendingRequests.add(request)
  try {
    const handling = simulator.handle(toGatewayRequest(request, source))
    const exchange = isPromise(handling) ? await untilDecided(handling, signal) : handling
    const whole = asWholeResponse(exchange)
    if (whole) return createWholeResponse(request, exchange, whole, source.transport)
    return await keepProcessAlive(answerLater(request, exchange, simulator.media, source))
  } finally {
    pendingRequests.delete(request)
  }
}

async function answerLater(
  request: Request,
  exchange: Exchange,
  media: MediaSource,
  source: RequestSource,
): Promise<Response | TypeError> {
  const signal = signalOf(request, source)
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    const { effect, delayMs } = exchange.reply
    if (effect?.noResponse === undefined) {
      const response = await createResponse(request, exchange, media, leaving, source)
      // Detached, because a complete response can't be aborted, and a caller's signal may serve many requests.
      if (!response.body || !requestOfBody.has(response.body)) signal.removeEventListener('abort', leave)
      return response
    }
    if (delayMs > 0) await waitOnClock(exchange, delayMs, leaving.signal)
    exchange.settle('failed', 0, { approximated: true })
    source.connection?.close(createRequestError(effect.noResponse))
    return createFetchError(effect.noResponse)
  } catch (error) {
    exchange.settle(signal.aborted ? 'aborted' : 'failed', 0)
    if (!(error instanceof ConnectionBreak)) throw error
    source.connection?.close(createRequestError(closedUnanswered))
    return createFetchError(closedUnanswered)
  }
}

async function createResponse(
  request: Request,
  exchange: Exchange,
  media: MediaSource,
  leaving: AbortController,
  { transport, connection }: RequestSource,
): Promise<Response> {
  const { clock } = exchange
  const prepared = await prepareResponse(exchange, media, leaving.signal, request.method === 'HEAD')
  const { status, body, length } = prepared
  if (!isChunked(body)) return createWholeResponse(request, exchange, { ...prepared, body }, transport)
  const headers = headerPairs(prepared.headers, clock.now())
  const hasLength = hasHeader(prepared.headers, 'Content-Length')
  if (length !== undefined && !hasLength) headers.push(['Content-Length', String(length)])
  // Chunked, as on a socket. Without it, msw 3 would consider a truncated body complete.
  else if (transport === 'msw' && !hasLength) headers.push(['Transfer-Encoding', 'chunked'])
  const settle: Exchange['settle'] = (outcome, bytes, more) =>
    exchange.settle(outcome, bytes, { status, ...more })
  const init = { status, headers }
  const response = createPacedResponse(body, leaving, new Tally(clock, prepared), settle, init, connection)
  requestOfBody.set(response.body!, request)
  return response
}

function createWholeResponse(
  { method }: Request,
  exchange: Exchange,
  whole: WholeResponse,
  transport: Transport,
): Response {
  const { status, body, failed, isFaultSkipped } = whole
  const isHead = method === 'HEAD'
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const sent = isHead ? null : bytes
  exchange.settle(failed ? 'failed' : 'completed', sent?.length ?? 0, {
    status,
    content: contentOf(whole, isHead, true),
    ...(isFaultSkipped && { approximated: true }),
  })
  const headers = headerPairs(whole.headers, exchange.clock.now())
  const response = new Response(sent as BodyInit | null, { status, headers })
  if (transport === 'msw' && response.body) withTee(response.body, () => new Response(sent as BodyInit).body!)
  return response
}

function toGatewayRequest(request: Request, source: RequestSource): GatewayRequest {
  const { transport, origin, prefix } = source
  const { pathname, search } = new URL(request.url)
  const { body } = request
  return {
    transport,
    method: request.method,
    target: (pathname.slice(prefix.length) || '/') + search,
    headers: headersOf(request),
    origin,
    ...(body ? { body: readChunks(body, signalOf(request, source)) } : {}),
    left: () => signalOf(request, source),
    announcedBytes: Number(request.headers.get('content-length') ?? 0),
  }
}

/** The headers by their names in lower case. happy-dom lists them as the client wrote them. */
function headersOf(request: Request): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of request.headers) headers[name.toLowerCase()] = value
  return headers
}

/** Rejects when a client leaves while its body is being read. Its exchange still runs. */
async function untilDecided(exchange: Promise<Exchange>, signal: AbortSignal): Promise<Exchange> {
  try {
    return await untilAborted(exchange, signal)
  } catch (error) {
    if (signal.aborted) void exchange.then((x) => x.settle('aborted', 0))
    throw error
  }
}

/** Not every browser can iterate a stream, and a stream doesn't end by itself when its request is aborted. */
async function* readChunks(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const next = await untilAborted(reader.read(), signal)
      if (next.done) return
      yield next.value
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}

const formatDate = dateHeaders()

/** Headers as pairs, with the `Date` that a socket would send: clients compare `Retry-After` with it. */
function headerPairs(list: readonly string[], now: number): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at < list.length; at += 2) pairs.push([list[at]!, list[at + 1]!])
  if (!hasHeader(list, 'Date')) pairs.push(['Date', formatDate(now)])
  return pairs
}
