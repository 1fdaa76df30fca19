import type { BodyReservation } from './body.ts'
import { abortError, GatewayError } from '../replies/errors.ts'

/** Larger than Node's own pieces, for fewer calls. */
const pieceBytes = 256 * 1024

/**
 * Decompresses a body by its `Content-Encoding`. The limits apply while it is decompressed, so that a small body can't
 * exhaust memory.
 *
 * @param encoding the header; empty or `identity` leaves the bytes as they are.
 * @param limitBytes the most that may come out.
 * @param held reserves memory for what comes out.
 * @returns the bytes, or `too-large`.
 * @throws {GatewayError} for an unknown encoding, for bytes that don't have it, and if the memory budget is used up.
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
    if (name === 'gzip' || name === 'x-gzip')
      return await collect(decompressStream(bytes, 'gzip'), limitBytes, held)
    if (name === 'deflate') return await collect(decompressStream(bytes, 'deflate'), limitBytes, held)
    if (name === 'br') return await collect(decompressBrotli(bytes), limitBytes, held)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw abortError(400, `Invalid request: the body is not ${name} as its Content-Encoding says`)
  }
  throw unknownEncoding(encoding)
}

function unknownEncoding(encoding: string): GatewayError {
  const quoted = JSON.stringify(encoding.slice(0, 60))
  return abortError(
    400,
    `Invalid request: Content-Encoding ${quoted} is not known; use gzip, deflate or br, one at a time`,
  )
}

/** Reserves memory for each piece before the next one is decompressed. */
async function collect(
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

/** Not every browser can iterate a stream. */
async function* decompressStream(bytes: Uint8Array, format: 'gzip' | 'deflate'): AsyncGenerator<Uint8Array> {
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
function decompressBrotli(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const { createBrotliDecompress } = globalThis.process.getBuiltinModule('node:zlib')
  const unpacking = createBrotliDecompress({ chunkSize: pieceBytes })
  unpacking.end(bytes)
  return unpacking
}
