import { ClockClosed, latestInstant } from '../engine/clock/clock-settings.ts'
import type { Clock } from '../engine/clock/clock.ts'
import { closedInBody } from '../engine/connection-end.ts'
import { untilAborted } from '../engine/maybe-promise.ts'
import {
  bytesOf,
  ConnectionBreak,
  type ByteEffect,
  type Chunk,
  type Chunks,
  type PacedBody,
} from '../engine/reply.ts'
import type { Exchange } from '../gateway/exchange.ts'
import type { ExchangeOutcome, JournalEntry, Outcome } from '../gateway/journal.ts'

/**
 * Waits on the clock of an exchange before more of its response is sent. What is due after the end of time comes at its
 * end, except what never comes.
 *
 * @throws {ConnectionBreak} when the clock closes first: the response never comes, so its connection must close.
 * The signal's reason when the client leaves.
 */
export async function waitOnClock(
  exchange: Exchange,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (durationMs === Infinity) return wait(exchange, Infinity, signal)
  const leftMs = latestInstant - exchange.clock.now()
  if (leftMs > 0) await wait(exchange, Math.min(durationMs, leftMs), signal)
}

/**
 * Waits until an instant, unless it has passed, and reads the clock only once.
 *
 * @returns the time that has come, in milliseconds since 1970.
 */
async function waitUntil(exchange: Exchange, dueAt: number, signal: AbortSignal): Promise<number> {
  const now = exchange.clock.now()
  if (dueAt <= now) return now
  if (dueAt === Infinity) await wait(exchange, Infinity, signal)
  else if (now < latestInstant) await wait(exchange, Math.min(dueAt, latestInstant) - now, signal)
  return dueAt
}

async function wait(
  { clock, waiting, request }: Exchange,
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  const resume = request.work?.pause()
  try {
    await clock.wait(durationMs, signal, waiting)
  } catch (error) {
    throw error instanceof ClockClosed ? new ConnectionBreak(closedInBody, 'cut') : error
  } finally {
    resume?.()
  }
}

/** Pieces that are due together are joined into one chunk of up to about this many characters. */
const maxJoinedCharacters = 64 * 1024

/**
 * Yields the pieces of a stream, each when it is due on the exchange's clock. Overdue pieces follow at once. Time in which
 * the client reads nothing doesn't count. Rejects with the signal's reason as soon as the client leaves, and leaves no
 * timer on the clock.
 *
 * @param maxJoined the maximum number of characters in one chunk.
 * @throws {ConnectionBreak} if a piece breaks the stream off, and when the clock closes.
 */
export async function* paceChunks(
  { pieces }: PacedBody,
  exchange: Exchange,
  signal: AbortSignal,
  maxJoined = maxJoinedCharacters,
): Chunks {
  const { clock, now: acceptedAt, reply } = exchange
  const startsAt = acceptedAt + reply.delayMs
  let now = clock.now()
  let text = ''
  let chunks = 0
  let isFinal = false
  const take = (): Chunk => {
    const chunk = { data: text, chunks, ...(isFinal && { isFinal }) }
    text = ''
    chunks = 0
    isFinal = false
    return chunk
  }
  for (const piece of pieces) {
    const { bytes, atMs, part, breaksOff, later } = piece
    // A client that leaves before the final event must not receive it.
    const isApart = bytes !== undefined || later !== undefined || (piece.isFinal === true && !isFinal)
    const isFull = text.length >= maxJoined || isApart
    const dueAt = startsAt + atMs
    if (text !== '' && (isFull || dueAt > now)) yield take()
    signal.throwIfAborted()
    if (dueAt > now) now = await waitUntil(exchange, dueAt, signal)
    text += piece.text
    if (later) text += await waitForText(later, signal)
    if (part === undefined) chunks++
    if (piece.isFinal) isFinal = true
    const ended = part === 'error' || part === 'cut' ? part : undefined
    if (bytes) yield { ...take(), data: bytes, isAlone: true }
    if (ended) yield { ...take(), ended }
    else if (breaksOff && text !== '') yield take()
    if (breaksOff) throw new ConnectionBreak(breaksOff === true ? closedInBody : breaksOff, ended)
  }
  if (text !== '' || chunks > 0) yield take()
}

async function waitForText(later: Promise<string>, signal: AbortSignal): Promise<string> {
  try {
    return await untilAborted(later, signal)
  } catch (error) {
    throw error instanceof ClockClosed ? new ConnectionBreak(closedInBody, 'cut') : error
  }
}

const chunkBytes = 256 * 1024

/** A body after the effect of a fault. Positions in a stream are fractions of the whole stream. */
export function carryBody(
  { carry }: ByteEffect,
  body: Uint8Array | PacedBody,
  exchange: Exchange,
  signal: AbortSignal,
): Chunks {
  const source = body instanceof Uint8Array ? body : { pieces: [...body.pieces] }
  // Pieces are not joined, so that the journal can count those that were sent completely.
  const chunks =
    source instanceof Uint8Array ? splitBytes(source, signal) : paceChunks(source, exchange, signal, 0)
  if (!carry) return chunks
  return carry(chunks, {
    totalBytes: source instanceof Uint8Array ? source.length : countBytes(source),
    now: () => exchange.clock.now(),
    wait: async (durationMs) => {
      signal.throwIfAborted()
      if (durationMs > 0) await waitOnClock(exchange, durationMs, signal)
    },
  })
}

async function* splitBytes(bytes: Uint8Array, signal: AbortSignal): Chunks {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    signal.throwIfAborted()
    yield { data: bytes.subarray(at, at + chunkBytes) }
  }
}

function countBytes({ pieces }: PacedBody): number {
  let total = 0
  for (const { text, bytes } of pieces) total += (bytes ?? bytesOf(text)).length
  return total
}

/** Counts the sent part of a body, for the journal. */
export class Tally {
  readonly #clock: Clock
  readonly #isStream: boolean
  readonly #isAltered: boolean
  #bytes = 0
  #chunks = 0
  #firstByteAt: number | undefined
  #ended: 'error' | 'cut' | undefined
  #isFinished = false

  constructor(clock: Clock, { isStream, isAltered }: { isStream: boolean; isAltered: boolean }) {
    this.#clock = clock
    this.#isStream = isStream
    this.#isAltered = isAltered
  }

  /** How many bytes of the body were sent so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts a chunk that is being sent. */
  note({ chunks = 0, ended }: Chunk, bytes: number): void {
    if (bytes > 0) this.#firstByteAt ??= this.#clock.now()
    this.#bytes += bytes
    this.#chunks += chunks
    this.#ended ??= ended
  }

  /**
   * Call it when the client has the final event. It may stop reading there, so later bytes don't change how the stream
   * ended.
   */
  finish(): void {
    this.#isFinished = true
  }

  /** Converts the outcome that the transport reports to that of the exchange. */
  outcomeOf(outcome: Outcome): Outcome {
    return this.#isFinished ? 'completed' : outcome
  }

  /** @param broken set if the body broke off on purpose. */
  settlement(outcome: Outcome, broken?: ConnectionBreak): Omit<ExchangeOutcome, 'outcome' | 'bytes'> {
    const ended = this.#isFinished ? 'finished' : this.#endOf(outcome, broken)
    const isWhole = this.outcomeOf(outcome) === 'completed' && ended === 'finished'
    const content: JournalEntry['content'] = !isWhole ? 'partial' : this.#isAltered ? 'altered' : 'complete'
    return {
      content,
      ...(this.#isStream ? { stream: { chunks: this.#chunks, ended } } : {}),
      ...(this.#firstByteAt === undefined ? {} : { firstByteAt: this.#firstByteAt }),
    }
  }

  #endOf(outcome: Outcome, broken?: ConnectionBreak): 'finished' | 'error' | 'cut' | 'aborted' {
    return outcome === 'aborted' ? 'aborted' : (this.#ended ?? broken?.ended ?? 'finished')
  }
}
