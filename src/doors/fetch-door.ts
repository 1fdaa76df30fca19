import type { Door, Incoming } from '../gateway/incoming.ts'
import type { Exchange } from '../gateway/parts.ts'
import type { Simulator } from '../simulator.ts'
import { copiedBy } from './copied.ts'
import { isPaced, ready, untilAborted, type ReadyReply } from './deliver.ts'
import { pacedResponse } from './paced-response.ts'

/**
 * Answers a fetch request: what the direct and the MSW door have in common.
 *
 * @param origin what links begin with.
 * @param prefix the part of the URL's path that belongs to the base address.
 * @returns the response. Rejects as `fetch` does when the request's signal is aborted.
 */
export async function answerRequest(
  simulator: Simulator,
  request: Request,
  { door, origin, prefix }: { door: Door; origin: string; prefix: string },
): Promise<Response> {
  const { signal } = request
  signal.throwIfAborted()
  const exchange = await admitted(simulator.handle(incomingOf(request, door, origin, prefix)), signal)
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  let reply: ReadyReply
  try {
    reply = await ready(exchange, simulator.media, leaving.signal)
  } catch (error) {
    exchange.settle(signal.aborted ? 'aborted' : 'failed', 0)
    throw error
  }
  const { status, body } = reply
  const headers = pairsOf(reply.headers)
  if (isPaced(body)) return pacedResponse(body, leaving, exchange.settle, { status, headers })
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const sent = request.method === 'HEAD' ? null : bytes
  exchange.settle(reply.failed ? 'failed' : 'completed', sent?.length ?? 0)
  const response = new Response(sent as BodyInit | null, { status, headers })
  if (door === 'msw' && response.body) copiedBy(response.body, () => new Response(sent as BodyInit).body!)
  return response
}

function incomingOf(request: Request, door: Door, origin: string, prefix: string): Incoming {
  const { pathname, search } = new URL(request.url)
  const body = request.body
  return {
    door,
    method: request.method,
    target: (pathname.slice(prefix.length) || '/') + search,
    headers: Object.fromEntries(request.headers),
    origin,
    ...(body ? { body: chunksOf(body, request.signal) } : {}),
    left: () => request.signal,
    announcedBytes: Number(request.headers.get('content-length') ?? 0),
  }
}

/** A client that leaves while its body is being read has its exchange, but gets no answer. */
async function admitted(exchange: Exchange | Promise<Exchange>, signal: AbortSignal): Promise<Exchange> {
  if (!(exchange instanceof Promise)) return exchange
  try {
    return await untilAborted(exchange, signal)
  } catch (error) {
    if (signal.aborted) void exchange.then(({ settle }) => settle('aborted', 0))
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

function pairsOf(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, index) => [list[2 * index]!, list[2 * index + 1]!])
}
