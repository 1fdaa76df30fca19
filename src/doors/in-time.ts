import type { Exchange } from '../gateway/parts.ts'
import type { PacedBody } from '../gateway/reply.ts'

/** What is due at once is handed on together, up to about so many characters. */
const togetherCharacters = 64 * 1024

/** The connection is to break off here. */
export class BrokenOff extends Error {
  override name = 'BrokenOff'
}

/**
 * The pieces of a body, each when it is due on the exchange's clock; those that are due together come as one, and
 * overdue ones go at once. Time in which nobody asks for the next is no waiting on the clock.
 *
 * Rejects with the signal's reason as soon as the client leaves, and leaves nothing behind on the clock.
 *
 * @throws {BrokenOff} where the connection is to break off.
 */
export async function* inTime(
  { pieces }: PacedBody,
  { clock, admittedAt, reply, waiting }: Exchange,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const begins = admittedAt + reply.delayMs
  let due = ''
  for (const { text, atMs, breaksOff } of pieces) {
    if (due !== '' && (begins + atMs > clock.now() || due.length >= togetherCharacters)) {
      yield due
      due = ''
    }
    signal.throwIfAborted()
    const waitMs = begins + atMs - clock.now()
    if (waitMs > 0) await clock.wait(waitMs, signal, waiting)
    due += text
    if (!breaksOff) continue
    yield due
    throw new BrokenOff('The answer breaks off here.')
  }
  if (due !== '') yield due
}
