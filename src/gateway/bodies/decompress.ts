import type { BodyReservation } from './body-budget.ts'
import { abortError, GatewayError } from '../replies/errors.ts'

/** Larger pieces than Node's own, which are as many calls. */
const pieceBytes = 256 * 1024

/**
 * Undoes a body's `Content-Encoding`. What it unpacks to is bounded while it is unpacked, so that a small body
 * can't become a large one, nor many of them more than there is room for.
 *
 * @param encoding the header; empty or `identity` leaves the bytes as they are.
 * @param limitBytes the most that may come out.
 * @param held the room that what comes out takes.
 * @returns the bytes, or `too-large`.
 * @throws {GatewayError} for an encoding we don't know, bytes that aren't in it, and where there is no room.
 * @assumed §4.1 compressed bodies are not documented; wire §1.5: gzip and brotli.
 */
export async function decompress(
  bytes: Uint8Array,
  encoding: string,
  limitBytes: number,
  held: Pick<BodyReservation, 'take'>,
): Promise<Uint8Array | 'too-large'> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes
  try {
    if (name === 'gzip' || name === 'x-gzip') return await gathered(unpacked(bytes, 'gzip'), limitBytes, held)
    if (name === 'deflate') return await gathered(unpacked(bytes, 'deflate'), limitBytes, held)
    if (name === 'br') return await gathered(unpackedBrotli(bytes), limitBytes, held)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw abortError(400, `Invalid request: the body is not ${name} as its Content-Encoding says`)
  }
  throw unknownEncoding(encoding)
}

function unknownEncoding(encoding: string): GatewayError {
  const shown = JSON.stringify(encoding.slice(0, 60))
  return abortError(
    400,
    `Invalid request: Content-Encoding ${shown} is not known; use gzip, deflate or br, one at a time`,
  )
}

/** Takes room for each piece before the next is unpacked. Leaving early ends the unpacking. */
async function gathered(
  pieces: AsyncIterable<Uint8Array>,
  limitBytes: number,
  held: Pick<BodyReservation, 'take'>,
): Promise<Uint8Array | 'too-large'> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > limitBytes) return 'too-large'
    held.take(piece.length)
    chunks.push(piece)
  }
  return joined(chunks, size)
}

/** Not every browser can iterate over a stream. */
async function* unpacked(bytes: Uint8Array, format: 'gzip' | 'deflate'): AsyncGenerator<Uint8Array> {
  const packed = new Response(bytes as BodyInit).body!
  const reader = packed.pipeThrough(new DecompressionStream(format)).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    void reader.cancel().catch(() => {})
  }
}

/** Chunks as one. */
export function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The web's decompression knows no brotli; Node's does. Browsers never send it. */
function unpackedBrotli(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const { createBrotliDecompress } = globalThis.process.getBuiltinModule('node:zlib')
  const unpacking = createBrotliDecompress({ chunkSize: pieceBytes })
  unpacking.end(bytes)
  return unpacking
}
