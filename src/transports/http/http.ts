import { hasContent } from '../../gateway/replies/reply.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Exchange } from '../../gateway/exchange.ts'
import { isPromise } from '../../engine/maybe-promise.ts'
import { closedReply, SimulatorClosed, type Simulator } from '../../simulator/simulator.ts'
import { dateHeaders } from '../../gateway/replies/headers.ts'
import { readRequest, type HttpListenerOptions, disconnectSignal } from './http-request.ts'
import {
  writeHead,
  breakBeforeAnswer,
  breakOff,
  untilDrained,
  endResponse,
  whenFlushed,
  contentLengthOf,
  waitForPipelineTurn,
  writeBody,
} from './http-write.ts'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { ExchangeOutcome, Outcome } from '../../gateway/journal.ts'
import type { MediaSource } from '../../media/source.ts'
import { ConnectionBreak, type Chunks } from '../../engine/reply.ts'
import { Tally, waitOnClock } from '../body-chunks.ts'
import { contentOf, isChunked, prepareResponse, type PreparedResponse } from '../prepare-response.ts'
import { Segments } from './http-segments.ts'
import { closedUnanswered } from '../../engine/connection-end.ts'

/**
 * A listener for node:http. A response is sent in the same turn if its text is ready and nothing delays or breaks it,
 * otherwise later.
 */
export function createHttpListener(
  simulator: Simulator,
  options: HttpListenerOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const formatDate = dateHeaders()

  function respond(x: Exchange, request: IncomingMessage, response: ServerResponse): void {
    // Node removes the socket from a request whose body could not be read completely.
    const socket = request.socket as Socket | null
    if (response.destroyed || !socket || socket.destroyed) return x.settle('aborted', 0)
    const { body, delayMs, effect, inserts } = x.reply
    // A pipelined response has no socket yet. If it were written now, it would be buffered, and a departure of the client
    // would go unnoticed.
    if (delayMs === 0 && effect === undefined && inserts === undefined && response.socket) {
      if (body === null || typeof body === 'string') return respondNow(x, request, response)
      const stream = 'pieces' in body && request.method !== 'HEAD' ? body.atOnce?.() : undefined
      if (stream) return streamNow(x, response, stream)
    }
    respondLater(x, response, simulator.media, formatDate).catch((error: unknown) => giveUp(error, response))
  }

  function respondNow(x: Exchange, request: IncomingMessage, response: ServerResponse): void {
    const { status, body } = x.reply
    const text = (body as string | null) ?? ''
    const bytes = Buffer.byteLength(text)
    writeHead(response, status, x.headers, formatDate(x.now), hasContent(status) ? bytes : undefined)
    x.messages?.begin(status, x.headers)
    if (request.method === 'HEAD' || body === null) {
      response.end()
      return x.settle('completed', 0, { content: null })
    }
    x.messages?.add(text)
    // `end(text)` would also write an empty chunk, and Node would join both by `writev`, which takes longer than one write.
    response.cork()
    response.write(text, encodingOf(text, bytes))
    response.uncork()
    response.end()
    x.settle('completed', bytes)
  }

  /** A stream whose pieces are all due. It has no Content-Length, so node:http sends it as one HTTP chunk. */
  function streamNow(x: Exchange, response: ServerResponse, stream: { text: string; chunks: number }): void {
    const bytes = Buffer.byteLength(stream.text)
    writeHead(response, x.reply.status, x.headers, formatDate(x.now))
    x.messages?.begin(x.reply.status, x.headers)
    x.messages?.add(stream.text)
    response.end(stream.text, encodingOf(stream.text, bytes))
    x.settle('completed', bytes, { stream: { chunks: stream.chunks, ended: 'finished' } })
  }

  function giveUp(error: unknown, response: ServerResponse): void {
    if (response.destroyed) return
    if (error instanceof SimulatorClosed) {
      const { status, headers, body } = closedReply(error)
      response.writeHead(status, { ...headers, Connection: 'close' })
      return void response.end(body)
    }
    options.onBug(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    if (response.headersSent) return void response.destroy()
    response.writeHead(500, { 'Content-Type': 'application/json; charset=utf-8' })
    const message = 'Panic detected, error: the simulator failed'
    response.end(JSON.stringify({ error: { message, type: 'new_api_panic' } }))
  }

  return (request, response) => {
    try {
      const exchange = simulator.handle(readRequest(request, response, options))
      if (!isPromise(exchange)) return respond(exchange, request, response)
      exchange.then((x) => respond(x, request, response)).catch((error: unknown) => giveUp(error, response))
    } catch (error) {
      giveUp(error, response)
    }
  }
}

/** Text of one byte per character, as most text is, needs no conversion. */
function encodingOf(text: string, bytes: number): 'latin1' | 'utf8' {
  return bytes === text.length ? 'latin1' : 'utf8'
}

/**
 * Carries out a reply that is delayed, paced, broken, or has media.
 * @throws any other error, after settling the exchange.
 */
async function respondLater(
  x: Exchange,
  response: ServerResponse,
  media: MediaSource,
  formatDate: (now: number) => string,
): Promise<void> {
  const { reply, clock } = x
  const isHead = response.req.method === 'HEAD'
  const signal = disconnectSignal(response)
  try {
    const noResponse = reply.effect?.noResponse
    if (noResponse !== undefined) {
      if (reply.delayMs > 0) await waitOnClock(x, reply.delayMs, signal)
      // Only the response that owns the socket can break it. A pipelined response must wait for the earlier ones.
      await waitForPipelineTurn(response)
      x.messages?.lose(noResponse)
      x.settle(response.destroyed ? 'aborted' : 'failed', 0)
      return breakBeforeAnswer(response, noResponse, reply.status, x.headers)
    }
    const prepared = await prepareResponse(x, media, signal, isHead)
    if (response.destroyed) return x.settle('aborted', 0)
    writeHead(response, prepared.status, prepared.headers, formatDate(clock.now()), contentLengthOf(prepared))
    if (isChunked(prepared.body)) return await writeChunks(x, response, prepared.body, prepared)
    const firstByteAt = clock.now()
    const sent = await writeBody(response, isHead ? null : prepared.body, x.request.work)
    const outcome = !sent.whole ? 'aborted' : prepared.failed ? 'failed' : 'completed'
    x.settle(outcome, sent.bytes, {
      status: prepared.status,
      content: contentOf(prepared, isHead, sent.whole),
      ...(sent.bytes > 0 && { firstByteAt }),
      ...(prepared.isFaultSkipped && { approximated: true }),
    })
  } catch (error) {
    x.settle(response.destroyed ? 'aborted' : 'failed', 0)
    if (!(error instanceof ConnectionBreak)) throw error
    await waitForPipelineTurn(response)
    breakBeforeAnswer(response, closedUnanswered, reply.status, x.headers)
  }
}

/** How much is written in one turn of the event loop: this many chunks. Each counts as at least 1 kB. */
const maxChunksInTurn = 500
const chunkCostBytes = 1_000

/** Writes chunks when they are due. A break is journaled before the client can see it. */
async function writeChunks(
  x: Exchange,
  response: ServerResponse,
  chunks: Chunks,
  prepared: PreparedResponse,
): Promise<void> {
  const tally = new Tally(x.clock, prepared)
  const { work } = x.request
  const segments = new Segments(response, x)
  const settle = (end: Outcome, broken?: ConnectionBreak): void => {
    const outcome = tally.outcomeOf(end)
    const more: Partial<ExchangeOutcome> = {
      status: prepared.status,
      ...tally.settlement(end, broken),
      ...(!segments.isCertain && { approximated: true }),
    }
    x.settle(outcome, tally.bytes, more)
  }
  // Clients learn at once that their request was accepted, even if the first chunk comes late.
  response.flushHeaders()
  await waitForPipelineTurn(response)
  let cost = 0
  // A client that reads nothing would block the next write forever.
  prepared.cutOff?.addEventListener('abort', () => response.destroy(), { once: true })
  try {
    for await (const chunk of chunks) {
      const bytes = Buffer.byteLength(chunk.data)
      tally.note(chunk, bytes)
      if (bytes > 0 && !response.write(chunk.data)) await untilDrained(response, work)
      // Bytes in our buffers do not reach a client that leaves.
      if (chunk.isFinal && (await whenFlushed(response, work))) tally.finish()
      if (chunk.isAlone) await segments.end()
      else if (prepared.isStream && !prepared.cutOff && hasParticipants(x)) await segments.waitForReader()
      // A client that reads as fast as we write never blocks the loop, so other requests need a turn.
      cost = chunk.isAlone ? 0 : cost + 1 + bytes / chunkCostBytes
      if (cost < maxChunksInTurn) continue
      cost = 0
      await nextTurn()
    }
    settle((await endResponse(response)) ? 'completed' : 'aborted')
  } catch (error) {
    const broken = error instanceof ConnectionBreak ? error : undefined
    settle(response.destroyed ? 'aborted' : 'failed', broken)
    if (!broken) throw error
    await breakOff(response, broken.how, x)
  }
}

/** Whether time moves by itself, but only when all participants wait. */
function hasParticipants({ clock }: Exchange): boolean {
  return clock.mode === 'auto' && clock.auto.participants.areKnown
}
