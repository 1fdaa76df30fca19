import { bytesOf, type ByteEffect, type Chunks, type PacedBody } from '../engine/reply.ts'
import type { Exchange } from '../gateway/exchange.ts'
import { paceChunks } from './pace-chunks.ts'
import { waitOnClock } from './wait-on-clock.ts'

const chunkBytes = 256 * 1024

/** A body as the effect of a fault leaves it. Positions in a stream are fractions of the whole stream. */
export function carryBody(
  { carry }: ByteEffect,
  body: Uint8Array | PacedBody,
  exchange: Exchange,
  signal: AbortSignal,
): Chunks {
  const source = body instanceof Uint8Array ? body : { pieces: [...body.pieces] }
  // Pieces are not joined, so that the journal can count those that were sent whole.
  const chunks =
    source instanceof Uint8Array
      ? splitBytes(source, signal)
      : paceChunks(source, exchange, signal, { together: 0 })
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
