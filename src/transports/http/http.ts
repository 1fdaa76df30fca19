import { ConnectionBreak, type Chunks } from '../../engine/reply.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { nextTurn } from '../../engine/clock/timers/steps.ts'
import type { Outcome, ExchangeOutcome } from '../../gateway/journal.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Incoming } from '../../gateway/incoming.ts'
import type { Media } from '../../media/source.ts'
import type { Simulator } from '../../simulator/simulator.ts'
import { closedReply, SimulatorClosed } from '../../simulator/closed.ts'
import { dateHeaders } from '../dates.ts'
import { bodyOf } from './http-body.ts'
import {
  contentOf,
  dueAtOnce,
  isPortioned,
  isReady,
  mediaAtOnce,
  ready,
  renderMedia,
  type ReadyReply,
} from '../deliver.ts'
import { breakBeforeAnswer, breakOff } from './http-breaks.ts'
import { writtenAtOnce } from './http-at-once.ts'
import {
  drained,
  ended,
  waitForPipelineTurn,
  lengthToTell,
  pieceBytes,
  writeBody,
  writeHead,
} from './http-write.ts'
import { Segments } from './http-segments.ts'
import { Tally } from '../chunks.ts'
import { isPromise } from '../../gateway/maybe-promise.ts'
import { waitOnClock } from '../wait-on-clock.ts'

/** So many portions are written in one turn; as long as some bytes take to write, a portion takes at least. */
const portionsInTurn = 500
const bytesOfPortion = 1_000

const wellFormedHost = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** What the socket door needs to know beside the simulator. */
export interface HttpDoorOptions {
  /** What links begin with when a request doesn't say where it was sent. */
  origin: () => string
  scheme: 'http' | 'https'
  /** How long the server keeps a connection on which nothing is asked; told where the door is alone on a server. */
  keepAliveMs?: number
  /** Told of our own mistakes. */
  onBug: (message: string) => void
}

/**
 * The socket door: a listener for node:http. No fetch objects and no framework stand between the socket and
 * the simulator, and an answer that needs no waiting is written in the turn in which its request came.
 */
export function createHttpListener(
  simulator: Simulator,
  options: HttpDoorOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const dateOf = dateHeaders()
  const { keepAliveMs } = options
  const keepAlive =
    keepAliveMs === undefined ? undefined : `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`

  function begin(exchange: Exchange, request: IncomingMessage, response: ServerResponse): void {
    const { reply } = exchange
    if (response.destroyed || request.socket.destroyed) return exchange.settle('aborted', 0)
    if (!isReady(reply)) {
      if (streamedAtOnce(exchange, request, response)) return
      let signal: AbortSignal | undefined
      const departure = (): AbortSignal => (signal ??= leaving(response))
      const media = mediaAtOnce(reply, simulator.media, departure)
      if (!shownAtOnce(media, exchange, request, response)) {
        void finishLater(exchange, request, response, { media, signal: departure() })
      }
      return
    }
    const { status } = reply
    const text = (reply.body as string | null) ?? ''
    const bytes = Buffer.byteLength(text)
    const answer = { status, headers: exchange.headers, date: dateOf(exchange.now), text, bytes }
    const canBeAtOnce = keepAlive !== undefined && bytes > 0
    if (!(canBeAtOnce && writtenAtOnce(request, response, answer, keepAlive))) {
      writeHead(response, status, answer.headers, answer.date, status === 204 ? undefined : bytes)
      // Text of one byte a character, as nearly all is, needs no conversion on its way out.
      response.end(request.method === 'HEAD' ? '' : text, bytes === text.length ? 'latin1' : 'utf8')
    }
    if (request.method === 'HEAD' || reply.body === null) exchange.settle('completed', 0, { content: null })
    else exchange.settle('completed', bytes)
  }

  /** Writes a stream of which everything is due, in one piece. @returns false where that can't be done. */
  function streamedAtOnce(exchange: Exchange, request: IncomingMessage, response: ServerResponse): boolean {
    const { reply, headers } = exchange
    const whole = keepAlive === undefined ? undefined : dueAtOnce(reply)
    if (!whole) return false
    const { text, chunks } = whole
    const bytes = Buffer.byteLength(text)
    const date = dateOf(exchange.now)
    const answer = { status: reply.status, headers, date, text, bytes, isStream: true }
    if (bytes === 0 || !writtenAtOnce(request, response, answer, keepAlive!)) return false
    exchange.settle('completed', bytes, { stream: { chunks, ended: 'finished' } })
    return true
  }

  /** Writes media that are there, in one piece. @returns false where that can't be done. */
  function shownAtOnce(
    media: Media | Promise<Media> | undefined,
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
  ): boolean {
    // Until its turn has come, an answer has no socket, and would not hear of its end.
    if (!media || isPromise(media) || !response.socket) return false
    const answer = renderMedia(media, exchange)
    const isHead = request.method === 'HEAD'
    const { length: bytes = 0 } = (isHead ? null : (answer.body as Uint8Array | null)) ?? {}
    if (bytes > pieceBytes) return false
    writeHead(response, answer.status, answer.headers, dateOf(exchange.now), lengthToTell(answer))
    response.once('close', () => {
      const isWhole = response.writableFinished
      exchange.settle(isWhole ? 'completed' : 'aborted', bytes, {
        status: answer.status,
        content: contentOf(answer, isHead, isWhole),
        ...(bytes > 0 && { firstByteAt: exchange.now }),
      })
    })
    response.end(bytes > 0 ? answer.body : undefined)
    return true
  }

  async function finishLater(
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
    { media, signal }: { media: Media | Promise<Media> | undefined; signal: AbortSignal },
  ): Promise<void> {
    const isHead = request.method === 'HEAD'
    const { reply, clock } = exchange
    try {
      const noResponse = reply.effect?.noResponse
      if (noResponse !== undefined) {
        if (reply.delayMs > 0) await waitOnClock(exchange, reply.delayMs, signal)
        exchange.settle(response.destroyed ? 'aborted' : 'failed', 0)
        return breakBeforeAnswer(response, noResponse, reply.status, exchange.headers)
      }
      const answer = await ready(exchange, simulator.media, signal, isHead, media)
      if (response.destroyed) return exchange.settle('aborted', 0)
      writeHead(response, answer.status, answer.headers, dateOf(clock.now()), lengthToTell(answer))
      if (isPortioned(answer.body)) return await writePortions(exchange, response, answer.body, answer)
      const firstByteAt = clock.now()
      const sent = await writeBody(response, isHead ? null : answer.body)
      const outcome = !sent.whole ? 'aborted' : answer.failed ? 'failed' : 'completed'
      exchange.settle(outcome, sent.bytes, {
        status: answer.status,
        content: contentOf(answer, isHead, sent.whole),
        ...(sent.bytes > 0 && { firstByteAt }),
        ...(answer.isSpared && { approximated: true }),
      })
    } catch (error) {
      exchange.settle(response.destroyed ? 'aborted' : 'failed', 0)
      if (error instanceof ConnectionBreak)
        breakBeforeAnswer(response, 'close', reply.status, exchange.headers)
      else giveUp(error, response)
    }
  }

  /** Writes portions when they come. What breaks off is noted before the client can see it. */
  async function writePortions(
    exchange: Exchange,
    response: ServerResponse,
    portions: Chunks,
    answer: ReadyReply,
  ): Promise<void> {
    const tally = new Tally(exchange.clock, answer)
    const segments = new Segments(response, exchange.clock)
    const settlement = (outcome: Outcome, broken?: ConnectionBreak): Partial<ExchangeOutcome> => ({
      status: answer.status,
      ...tally.settlement(outcome, broken),
      ...(!segments.isCertain && { approximated: true }),
    })
    // Clients learn at once that their request was taken, however late the first piece is.
    response.flushHeaders()
    await waitForPipelineTurn(response)
    let sinceTurn = 0
    try {
      for await (const portion of portions) {
        const bytes = Buffer.byteLength(portion.data)
        tally.note(portion, bytes)
        if (bytes > 0 && !response.write(portion.data)) await drained(response)
        if (portion.isAlone) await segments.end()
        else if (answer.isStream && awaitsParticipants(exchange)) await segments.waitForReader()
        // A client that reads as fast as we write never makes us wait: others must have their turn all the same.
        sinceTurn = portion.isAlone ? 0 : sinceTurn + 1 + bytes / bytesOfPortion
        if (sinceTurn >= portionsInTurn) {
          sinceTurn = 0
          await nextTurn()
        }
      }
      const outcome = (await ended(response)) ? 'completed' : 'aborted'
      exchange.settle(outcome, tally.bytes, settlement(outcome))
    } catch (error) {
      const outcome = response.destroyed ? 'aborted' : 'failed'
      const broken = error instanceof ConnectionBreak ? error : undefined
      exchange.settle(outcome, tally.bytes, settlement(outcome, broken))
      if (broken) await breakOff(response, broken.how, exchange.clock)
      else giveUp(error, response)
    }
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
    response.end('{"error":{"message":"Panic detected, error: the simulator failed","type":"new_api_panic"}}')
  }

  return (request, response) => {
    try {
      const exchange = simulator.handle(incomingOf(request, response, options))
      if (!isPromise(exchange)) return begin(exchange, request, response)
      exchange
        .then((settled) => begin(settled, request, response))
        .catch((error: unknown) => giveUp(error, response))
    } catch (error) {
      giveUp(error, response)
    }
  }
}

/** Whether time moves by itself, but not before all participants wait. */
function awaitsParticipants({ clock }: Exchange): boolean {
  return clock.mode === 'auto' && clock.auto.participants.areKnown
}

function incomingOf(request: IncomingMessage, response: ServerResponse, options: HttpDoorOptions): Incoming {
  const { headers } = request
  const { host } = headers
  const announced = headers['content-length']
  const announcedBytes = announced === undefined ? undefined : Number(announced)
  const hasBody = headers['transfer-encoding'] !== undefined || (announcedBytes ?? 0) > 0
  const hostFits = host === undefined ? request.httpVersion === '1.0' : wellFormedHost.test(host)
  return {
    door: 'socket',
    method: request.method!,
    target: request.url!,
    headers,
    origin: host !== undefined && hostFits ? `${options.scheme}://${host}` : options.origin(),
    left: () => leaving(response),
    body: hasBody ? bodyOf(request, announcedBytes) : undefined,
    announcedBytes,
    problem: hostFits
      ? undefined
      : `the Host header must name one host, not ${JSON.stringify(host?.slice(0, 100) ?? null)}`,
  }
}

/**
 * A signal that is aborted when the client leaves before its answer is complete. An answer that waits behind others of
 * its connection has no socket yet, and Node tells it nothing of the end: then this does.
 */
function leaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const { socket } = response.req
  const over = (): void => {
    if (response.socket || response.writableFinished) return
    response.destroy()
    response.emit('close')
  }
  response.once('close', () => {
    socket.off('close', over)
    if (!response.writableFinished) controller.abort()
  })
  if (response.destroyed) controller.abort()
  else if (socket.destroyed) over()
  else socket.once('close', over)
  return controller.signal
}
