import { withFakeTimersPaused } from '../engine/clock/timers/fake-timers.ts'
import { bytesOf, ConnectionBreak, type ByteEffect, type Chunks, type PacedPiece } from '../engine/reply.ts'
import type { Exchange } from '../gateway/exchange.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { asGatewayError } from '../gateway/replies/errors.ts'
import { represent } from '../gateway/replies/represent.ts'
import {
  appendHeaders,
  headerList,
  hintHeader,
  listWithout,
  overrideHeaders,
  type MediaBody,
  type PacedBody,
  type PushedBody,
} from '../gateway/replies/reply.ts'
import { mediaOf, PackageMissing, RenderFailed, type Media, type MediaSource } from '../media/source.ts'
import { carryBody, paceChunks, untilAborted, waitOnClock } from './body-chunks.ts'
import { insertInPieces, insertMedia } from './inserted-media.ts'

/** A response that only needs to be written. Its bytes are there, or come in chunks. */
export interface PreparedResponse {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | null | Chunks
  /** The length of a chunked body, if it is known and not in the headers. */
  readonly length?: number
  /** Whether it is a stream, whose chunks and end are journaled. */
  readonly isStream: boolean
  /** Whether some bytes differ from the announced ones. */
  readonly isAltered: boolean
  /** Whether the bytes could not be rendered. */
  readonly failed: boolean
  /** Whether the fault had no body to break. */
  readonly isFaultSkipped: boolean
  /** Aborted when the client reads too slowly. Its connection must be closed then. */
  readonly cutOff?: AbortSignal
}

/** A response whose bytes are all there. */
export interface WholeResponse extends PreparedResponse {
  readonly body: string | Uint8Array | null
}

const intact = { isStream: false, isAltered: false, failed: false, isFaultSkipped: false }

/** A response that can be sent in the same turn; undefined for all others. */
export function asWholeResponse({ reply, headers }: Exchange): WholeResponse | undefined {
  const { status, body, delayMs, effect, inserts } = reply
  if (
    delayMs > 0 ||
    effect !== undefined ||
    inserts !== undefined ||
    (body !== null && typeof body !== 'string')
  )
    return undefined
  return { ...intact, status, headers, body }
}

/** Whether a body comes in chunks. */
export function isChunked(body: PreparedResponse['body']): body is Chunks {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/**
 * Waits for the delay of a reply and renders its bytes. Rejects as soon as the client leaves. A render in progress
 * continues for the next request; a queued one is dropped.
 *
 * @throws {ConnectionBreak} when the clock closes before the response is due.
 * @param isHead whether only headers are requested. No fault breaks a response without a body.
 */
export async function prepareResponse(
  exchange: Exchange,
  media: MediaSource,
  signal: AbortSignal,
  isHead: boolean,
): Promise<PreparedResponse> {
  const prepared = await prepare(exchange, media, signal, isHead)
  const { messages } = exchange
  if (!messages) return prepared
  const { status, headers, body } = prepared
  messages.begin(status, headers)
  if (isChunked(body)) return { ...prepared, body: messages.follow(body) }
  if (body !== null && !isHead) messages.add(body)
  return prepared
}

async function prepare(
  exchange: Exchange,
  media: MediaSource,
  signal: AbortSignal,
  isHead: boolean,
): Promise<PreparedResponse> {
  const { reply, headers } = exchange
  if (reply.delayMs > 0) await waitOnClock(exchange, reply.delayMs, signal)
  const { status, body, effect } = reply
  if (typeof body === 'object' && body !== null && 'pieces' in body) {
    if (isHead) return { ...intact, status, headers, body: null }
    return prepareStream(await withInserts(body, exchange, media, signal), exchange, signal)
  }
  if (typeof body === 'object' && body !== null && 'open' in body) {
    const chunks = isHead ? null : pushChunks(body, signal)
    return { ...intact, status, headers, body: chunks, isStream: true, cutOff: body.cutOff }
  }
  const plain: PreparedResponse =
    typeof body === 'string' || body === null
      ? await prepareText(body, exchange, media, signal)
      : await holdClock(
          exchange,
          untilAborted(
            prepareMedia(
              body,
              exchange,
              mediaOf(media, body.media, () => signal),
            ),
            signal,
          ),
        )
  return effect ? applyEffect(plain, effect, exchange, signal, isHead) : plain
}

/** Pauses a clock that moves by itself while bytes are rendered, which takes real time. */
function holdClock<T>({ clock }: Exchange, work: Promise<T>): Promise<T> {
  return withFakeTimersPaused(clock, work).finally(clock.auto.whileReading())
}

async function prepareText(
  body: string | null,
  exchange: Exchange,
  media: MediaSource,
  signal: AbortSignal,
): Promise<PreparedResponse> {
  const { headers, reply } = exchange
  const { status, inserts } = reply
  if (!inserts || body === null) return { ...intact, status, headers, body }
  try {
    const filled = holdClock(exchange, untilAborted(insertMedia(body, inserts, media, signal), signal))
    return { ...intact, status, headers, body: await filled }
  } catch (error) {
    signal.throwIfAborted()
    return failedResponse(error as Error, inserts.failed, exchange)
  }
}

/** A stream with its media. A fault needs all of it at once, since it breaks the stream at a share of its bytes. */
async function withInserts(
  body: PacedBody,
  exchange: Exchange,
  media: MediaSource,
  signal: AbortSignal,
): Promise<PacedBody> {
  const { inserts, effect } = exchange.reply
  if (!inserts) return body
  const fill = (text: string): Promise<string> =>
    holdClock(exchange, insertMedia(text, inserts, media, signal)).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error instanceof RenderFailed ? new ConnectionBreak('close') : error
    })
  const pieces = insertInPieces(body.pieces, inserts, fill)
  const { atOnce: _withoutInserts, ...rest } = body
  if (!effect) return { ...rest, pieces }
  const whole: PacedPiece[] = []
  for (const { later, ...piece } of pieces) whole.push(later ? { ...piece, text: await later } : piece)
  return { ...rest, pieces: whole }
}

function prepareStream(body: PacedBody, exchange: Exchange, signal: AbortSignal): PreparedResponse {
  const { reply, headers } = exchange
  const { status, effect } = reply
  if (body.onLeave) signal.addEventListener('abort', body.onLeave, { once: true })
  const chunks = effect ? carryBody(effect, body, exchange, signal) : paceChunks(body, exchange, signal)
  return { ...intact, status, headers, body: chunks, isStream: true, isAltered: effect?.isAltered ?? false }
}

async function* pushChunks(body: PushedBody, signal: AbortSignal): Chunks {
  for await (const data of body.open(signal)) yield { data }
}

function applyEffect(
  plain: PreparedResponse,
  effect: ByteEffect,
  exchange: Exchange,
  signal: AbortSignal,
  isHead: boolean,
): PreparedResponse {
  const { body, headers } = plain
  const bytes = body === null || isChunked(body) ? new Uint8Array() : bytesOf(body)
  if (isHead || bytes.length === 0) return { ...plain, isFaultSkipped: true }
  const carried = {
    ...plain,
    body: carryBody(effect, bytes, exchange, signal),
    isAltered: effect.isAltered ?? false,
  }
  // Chunked encoding and a length exclude each other.
  if (effect.isChunked) return { ...carried, headers: listWithout(headers, { 'Content-Length': '' }) }
  return { ...carried, length: bytes.length }
}

async function prepareMedia(
  { conditions, failed }: MediaBody,
  exchange: Exchange,
  made: Media | Promise<Media>,
): Promise<PreparedResponse> {
  try {
    const { status, headers, body } = represent(await made, conditions)
    const { instead } = conditions
    const list = instead ? listWithout(exchange.headers, instead) : [...exchange.headers]
    appendHeaders(list, instead ? overrideHeaders(headers, instead) : headers)
    return { ...intact, status, headers: list, body }
  } catch (error) {
    return failedResponse(error as Error, failed, exchange)
  }
}

function failedResponse(error: Error, failed: MediaBody['failed'], exchange: Exchange): PreparedResponse {
  // The gateway's own message is short. This header explains to developers what failed.
  const headers = { 'Content-Type': 'application/json; charset=utf-8', ...hintHeader(error.message) }
  const list = [...listWithout(exchange.headers, headers), ...headerList(headers)]
  const { status, body } = error instanceof PackageMissing ? refusalOf(error, exchange) : failed
  return { ...intact, status, headers: list, body, failed: true }
}

/** The body explains too which package to install, because SDKs don't print headers. */
function refusalOf(error: PackageMissing, { entry }: Exchange): { status: number; body: string } {
  const refusal = asGatewayError(error)
  return { status: refusal.status, body: JSON.stringify(refusal.body(entry.requestId)) }
}

/** How much of the requested content was sent, for the journal. */
export function contentOf(
  { body, failed, isAltered }: PreparedResponse,
  isHead: boolean,
  isWhole: boolean,
): JournalEntry['content'] {
  if (failed || isHead || body === null) return null
  if (!isWhole) return 'partial'
  return isAltered ? 'altered' : 'complete'
}
