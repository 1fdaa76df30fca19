import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { StreamMessage } from './stream-events.ts'

/** How much all readers together may write in one turn of the event loop. */
export const maxBytesInTurn = 64 * 1024

/**
 * Lets many readers write one after the other. Without it, hundreds of readers would write megabytes in one turn of the
 * event loop, and clients would wait.
 */
export class FairTurns {
  readonly #waiting: { size: number; resolve: () => void }[] = []
  #left = maxBytesInTurn
  #isDue = false

  /** Resolves when a reader may write this many bytes. */
  async take(size: number): Promise<void> {
    if (this.#left > 0) this.#count(size)
    else await new Promise<void>((resolve) => this.#waiting.push({ size, resolve }))
  }

  #count(size: number): void {
    this.#left -= size
    if (this.#isDue) return
    this.#isDue = true
    hostTimers.setImmediate(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isDue = false
    this.#left = maxBytesInTurn
    while (this.#left > 0) {
      const next = this.#waiting.shift()
      if (!next) return
      this.#count(next.size)
      next.resolve()
    }
  }
}

/** A longer message is sent in pieces of this size, so that each reader that does not read holds one of them. */
const maxWrittenBytes = 64 * 1024

const encoder = new TextEncoder()
/** Messages as they are sent, encoded once for all readers. */
const encoded = new WeakMap<StreamMessage, Uint8Array>()

function encodeMessage(message: StreamMessage): Uint8Array {
  const known = encoded.get(message)
  if (known) return known
  const { event, id, json } = message
  const bytes = encoder.encode(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`)
  encoded.set(message, bytes)
  return bytes
}

/** The text of `text/event-stream`. */
export async function* encodeStream(
  messages: AsyncIterable<StreamMessage>,
  turns: FairTurns,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    const bytes = encodeMessage(message)
    for (let at = 0; at < bytes.length; at += maxWrittenBytes) {
      const piece = bytes.subarray(at, at + maxWrittenBytes)
      await turns.take(piece.length)
      yield piece
    }
  }
}
