import { bytesOf, type ByteEffect, type Chunks } from '../engine/reply.ts'
import { withFakeTimersPaused } from '../engine/clock/timers/fake-timers.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { represent } from '../gateway/replies/represent.ts'
import {
  appendHeaders,
  headerList,
  hintHeader,
  listWithout,
  type MediaBody,
  type PacedBody,
  overrideHeaders,
} from '../gateway/replies/reply.ts'
import { mediaOf, type Media, type MediaSource } from '../media/source.ts'
import { carryBody } from './carry-body.ts'
import { paceChunks } from './pace-chunks.ts'
import { waitOnClock } from './wait-on-clock.ts'

/** An answer whose bytes are there, or come in their time: all that is left is to write it. */
export interface ReadyReply {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | null | Chunks
  /** The length of a body in portions, where its headers don't tell it but it is known. */
  readonly length?: number
  /** Whether it is a stream, and so has chunks and an end. */
  readonly isStream: boolean
  /** Whether some of its bytes are others than they should be. */
  readonly isAltered: boolean
  /** Whether the bytes could not be made. */
  readonly failed: boolean
  /** Whether a fault could not be carried out: there is no body that it could befall. */
  readonly isSpared: boolean
}

/** One whose bytes are all there. */
export interface WholeReply extends ReadyReply {
  readonly body: string | Uint8Array | null
}

const sound = { isStream: false, isAltered: false, failed: false, isSpared: false }

/** A reply that can be sent in the same turn; undefined for all others. */
export function asWholeReply({ reply, headers }: Exchange): WholeReply | undefined {
  const { status, body, delayMs, effect } = reply
  if (delayMs > 0 || effect !== undefined || (body !== null && typeof body !== 'string')) return undefined
  return { ...sound, status, headers, body }
}

/** An answer whose media are there. */
function renderMedia(bytes: Media, { reply, headers }: Exchange): ReadyReply {
  const { conditions } = reply.body as MediaBody
  const { status, headers: described, body } = represent(bytes, conditions)
  const { instead } = conditions
  const list = instead ? listWithout(headers, instead) : [...headers]
  appendHeaders(list, instead ? overrideHeaders(described, instead) : described)
  return { ...sound, status, headers: list, body }
}

/** Whether a body comes in portions. */
export function isPortioned(body: ReadyReply['body']): body is Chunks {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/**
 * Waits as long as the reply says, and makes its bytes. Rejects as soon as the client leaves. A render that has begun is
 * finished all the same, for the next try; one that has not is dropped.
 *
 * @throws {BrokenOff} when the clock closes before the answer is due.
 * @param isHead whether only headers are wanted; there is nothing to be broken then.
 */
export async function ready(
  exchange: Exchange,
  media: MediaSource,
  signal: AbortSignal,
  isHead: boolean,
): Promise<ReadyReply> {
  const { reply, headers, clock } = exchange
  if (reply.delayMs > 0) await waitOnClock(exchange, reply.delayMs, signal)
  const { status, body, effect } = reply
  if (typeof body === 'object' && body !== null && 'pieces' in body) {
    return isHead ? { ...sound, status, headers, body: null } : stream(body, exchange, signal)
  }
  const plain: ReadyReply =
    typeof body === 'string' || body === null
      ? { ...sound, status, headers, body }
      : await atWork(
          clock,
          untilAborted(
            readyMedia(
              body,
              exchange,
              mediaOf(media, body.media, () => signal),
            ),
            signal,
          ),
        )
  return effect ? withEffect(plain, effect, exchange, signal, isHead) : plain
}

/** Bytes take real time to make. A clock that moves by itself stands still meanwhile: nobody waits for its time. */
function atWork<T>(clock: Exchange['clock'], work: Promise<T>): Promise<T> {
  return withFakeTimersPaused(clock, work).finally(clock.auto.whileReading())
}

function stream(body: PacedBody, exchange: Exchange, signal: AbortSignal): ReadyReply {
  const { reply, headers } = exchange
  const { status, effect } = reply
  const chunks = effect ? carryBody(effect, body, exchange, signal) : paceChunks(body, exchange, signal)
  return { ...sound, status, headers, body: chunks, isStream: true, isAltered: effect?.isAltered ?? false }
}

function withEffect(
  plain: ReadyReply,
  effect: ByteEffect,
  exchange: Exchange,
  signal: AbortSignal,
  isHead: boolean,
): ReadyReply {
  const { body, headers } = plain
  const bytes = body === null || isPortioned(body) ? new Uint8Array() : bytesOf(body)
  if (isHead || bytes.length === 0) return { ...plain, isSpared: true }
  const carried = {
    ...plain,
    body: carryBody(effect, bytes, exchange, signal),
    isAltered: effect.isAltered ?? false,
  }
  if (effect.isChunked) return { ...carried, headers: withoutLength(headers) }
  return { ...carried, length: bytes.length }
}

/** Chunks and a length exclude each other. */
function withoutLength(headers: readonly string[]): string[] {
  const isLength = (index: number): boolean => headers[index - (index % 2)] === 'Content-Length'
  return headers.filter((_, index) => !isLength(index))
}

async function readyMedia(
  { failed }: MediaBody,
  exchange: Exchange,
  made: Media | Promise<Media>,
): Promise<ReadyReply> {
  try {
    return renderMedia(await made, exchange)
  } catch (error) {
    const { status, body: text } = failed
    // The gateway's words say little; a developer wants to know what failed, and how.
    const said = {
      'Content-Type': 'application/json; charset=utf-8',
      ...hintHeader((error as Error).message),
    }
    return { ...sound, status, headers: [...exchange.headers, ...headerList(said)], body: text, failed: true }
  }
}

/** What is to be noted of an answer whose bytes went out, or didn't, all at once. */
export function contentOf(
  { body, failed, isAltered }: ReadyReply,
  isHead: boolean,
  isWhole: boolean,
): JournalEntry['content'] {
  if (failed || isHead || body === null) return null
  if (!isWhole) return 'partial'
  return isAltered ? 'altered' : 'complete'
}

/** The work's result, or a rejection with the signal's reason as soon as it is aborted. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
