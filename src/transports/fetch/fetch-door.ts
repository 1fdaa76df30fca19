import { ConnectionBreak } from '../../engine/reply.ts'
import type { Transport, Incoming } from '../../gateway/incoming.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { MediaSource } from '../../media/source.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import type { ClientConnection } from '../client-request.ts'
import { createRequestError, fetchFailed } from './connection-errors.ts'
import { dateHeaders, isDated } from '../dates.ts'
import { contentOf, isPortioned, ready, asWholeReply, untilAborted, type WholeReply } from '../deliver.ts'
import { createPacedResponse, keepProcessAlive, withTee } from './paced-response.ts'
import { Tally } from '../chunks.ts'
import { isPromise } from '../../gateway/maybe-promise.ts'
import { waitOnClock } from '../wait-on-clock.ts'

/**
 * Requests that may still be given up. Node reaches a request's own signal weakly: one that nobody holds any more would
 * never tell that its client has left.
 */
const underWay = new Set<Request>()
/** The same for those whose answer is being read, as long as there is somebody to read it. */
const beingRead = new WeakMap<ReadableStream<Uint8Array>, Request>()

/** How a request came in. */
export interface Way {
  readonly door: Transport
  readonly origin: string
  readonly prefix: string
  readonly connection?: ClientConnection | undefined
}

/** Aborted when the client leaves. */
function signalOf(request: Request, { connection }: Way): AbortSignal {
  return connection?.signal ?? request.signal
}

/**
 * Answers a fetch request: what the direct and the MSW door have in common.
 *
 * @param way.origin what links begin with.
 * @param way.prefix the part of the URL's path that belongs to the base address.
 * @param way.connection of a client that is built on `http.request`; it is closed where no response is to come.
 * @returns the response; where none is to come, the error with which `fetch` rejects then. Rejects as `fetch` does when
 * the request's signal is aborted.
 */
export async function answerRequest(
  simulator: Simulator,
  request: Request,
  way: Way,
): Promise<Response | TypeError> {
  signalOf(request, way).throwIfAborted()
  underWay.add(request)
  try {
    return await decidedAndAnswered(simulator, request, way)
  } finally {
    underWay.delete(request)
  }
}

async function decidedAndAnswered(
  simulator: Simulator,
  request: Request,
  way: Way,
): Promise<Response | TypeError> {
  const deciding = simulator.handle(incomingOf(request, way))
  const exchange = isPromise(deciding) ? await untilDecided(deciding, signalOf(request, way)) : deciding
  const atOnce = asWholeReply(exchange)
  if (atOnce) return wholeResponse(request, exchange, atOnce, way.door)
  return keepProcessAlive(answeredLater(request, exchange, simulator.media, way))
}

async function answeredLater(
  request: Request,
  exchange: Exchange,
  media: MediaSource,
  way: Way,
): Promise<Response | TypeError> {
  const signal = signalOf(request, way)
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    const noResponse = exchange.reply.effect?.noResponse
    if (noResponse === undefined) {
      const response = await answered(request, exchange, media, leaving, way)
      // What is whole can't be left any more; a caller's signal may serve for many requests.
      if (!response.body || !beingRead.has(response.body)) signal.removeEventListener('abort', leave)
      return response
    }
    const { delayMs } = exchange.reply
    if (delayMs > 0) await waitOnClock(exchange, delayMs, leaving.signal)
    exchange.settle('failed', 0, { approximated: true })
    way.connection?.close(createRequestError(noResponse))
    return fetchFailed(noResponse)
  } catch (error) {
    exchange.settle(signal.aborted ? 'aborted' : 'failed', 0)
    if (error instanceof ConnectionBreak) {
      way.connection?.close(createRequestError('close'))
      return fetchFailed('close')
    }
    throw error
  }
}

async function answered(
  request: Request,
  exchange: Exchange,
  media: MediaSource,
  leaving: AbortController,
  { door, connection }: Way,
): Promise<Response> {
  const { clock } = exchange
  const answer = await ready(exchange, media, leaving.signal, request.method === 'HEAD')
  const { status, body } = answer
  if (!isPortioned(body)) return wholeResponse(request, exchange, { ...answer, body }, door)
  const headers = headersOf(answer.headers, clock.now())
  const isAnnounced = answer.headers.includes('Content-Length')
  if (answer.length !== undefined && !isAnnounced) headers.push(['Content-Length', String(answer.length)])
  // As on a socket; without it, msw 3 would take a body that breaks off for a whole one.
  else if (door === 'msw' && !isAnnounced) headers.push(['Transfer-Encoding', 'chunked'])
  const settled: Exchange['settle'] = (outcome, sent, more) =>
    exchange.settle(outcome, sent, { status, ...more })
  const init = { status, headers }
  const response = createPacedResponse(body, leaving, new Tally(clock, answer), settled, init, connection)
  beingRead.set(response.body!, request)
  return response
}

function wholeResponse(
  { method }: Request,
  exchange: Exchange,
  answer: WholeReply,
  door: Transport,
): Response {
  const { status, body, failed, isSpared } = answer
  const isHead = method === 'HEAD'
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const sent = isHead ? null : bytes
  const more = { status, content: contentOf(answer, isHead, true), ...(isSpared && { approximated: true }) }
  exchange.settle(failed ? 'failed' : 'completed', sent?.length ?? 0, more)
  const response = new Response(sent as BodyInit | null, {
    status,
    headers: headersOf(answer.headers, exchange.clock.now()),
  })
  if (door === 'msw' && response.body) withTee(response.body, () => new Response(sent as BodyInit).body!)
  return response
}

function incomingOf(request: Request, way: Way): Incoming {
  const { door, origin, prefix } = way
  const { pathname, search } = new URL(request.url)
  const body = request.body
  return {
    door,
    method: request.method,
    target: (pathname.slice(prefix.length) || '/') + search,
    headers: Object.fromEntries(request.headers),
    origin,
    ...(body ? { body: chunksOf(body, signalOf(request, way)) } : {}),
    left: () => signalOf(request, way),
    announcedBytes: Number(request.headers.get('content-length') ?? 0),
  }
}

/** A client that leaves while its body is being read has its exchange, but gets no answer. */
async function untilDecided(exchange: Promise<Exchange>, signal: AbortSignal): Promise<Exchange> {
  try {
    return await untilAborted(exchange, signal)
  } catch (error) {
    if (signal.aborted) void exchange.then((x) => x.settle('aborted', 0))
    throw error
  }
}

/** Not every browser can iterate a stream, and a stream doesn't end by itself when its request is aborted. */
async function* chunksOf(
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

const dateOf = dateHeaders()

/** As on a socket with the `Date`: clients reckon from it, such as how far the one in `Retry-After` is. */
function headersOf(list: readonly string[], now: number): [string, string][] {
  const { length } = list
  const pairs = Array.from({ length: length / 2 }, (_, at): [string, string] => [
    list[2 * at]!,
    list[2 * at + 1]!,
  ])
  if (!isDated(list)) pairs.push(['Date', dateOf(now)])
  return pairs
}
