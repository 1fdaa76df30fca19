import { ConnectionBreak, type Chunk, type Chunks } from '../engine/reply.ts'
import type { Exchange } from '../gateway/exchange.ts'
import type { PacedBody } from '../gateway/replies/reply.ts'
import { waitOnClock } from './wait-on-clock.ts'

/** What is due at once is handed on together, up to about so many characters. */
const togetherCharacters = 64 * 1024

/**
 * The pieces of a body, each when it is due on the exchange's clock; those that are due together come as one, and
 * overdue ones go at once. Time in which nobody asks for the next is no waiting on the clock.
 *
 * Rejects with the signal's reason as soon as the client leaves, and leaves nothing behind on the clock.
 *
 * @param options `together` is how much may come as one.
 * @throws {ConnectionBreak} where the connection is to break off, and when the clock closes.
 */
export async function* paceChunks(
  { pieces }: PacedBody,
  exchange: Exchange,
  signal: AbortSignal,
  { together = togetherCharacters }: { together?: number } = {},
): Chunks {
  const { clock, now, reply } = exchange
  const begins = now + reply.delayMs
  let text = ''
  let chunks = 0
  const due = (): Chunk => {
    const portion = { data: text, chunks }
    text = ''
    chunks = 0
    return portion
  }
  for (const piece of pieces) {
    const { bytes, atMs, part, breaksOff } = piece
    const isFull = text.length >= together || bytes !== undefined
    if (text !== '' && (isFull || begins + atMs > clock.now())) yield due()
    signal.throwIfAborted()
    const waitMs = begins + atMs - clock.now()
    if (waitMs > 0) await waitOnClock(exchange, waitMs, signal)
    text += piece.text
    if (part === undefined) chunks++
    const ended = part === 'error' || part === 'cut' ? part : undefined
    if (bytes) yield { ...due(), data: bytes, isAlone: true }
    if (ended) yield { ...due(), ended }
    else if (breaksOff && text !== '') yield due()
    if (breaksOff) throw new ConnectionBreak(breaksOff === 'reset' ? 'reset' : 'close', ended)
  }
  if (text !== '' || chunks > 0) yield due()
}
