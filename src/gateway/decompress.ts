import { abortError, type GatewayError } from './errors.ts'

/**
 * Undoes a body's `Content-Encoding`. What it unpacks to is bounded while it is unpacked, so that a small body
 * can't become a large one.
 *
 * @param encoding the header; empty or `identity` leaves the bytes as they are.
 * @param limitBytes the most that may come out.
 * @returns the bytes, or `too-large`.
 * @throws {GatewayError} for an encoding we don't know, and bytes that aren't in it.
 * @assumed §4.1 compressed bodies are not shown; wire §1.5: gzip and brotli.
 */
export async function decompress(
  bytes: Uint8Array,
  encoding: string,
  limitBytes: number,
): Promise<Uint8Array | 'too-large'> {
  const name = encoding.trim().toLowerCase()
  if (name === '' || name === 'identity' || bytes.length === 0) return bytes
  try {
    if (name === 'gzip' || name === 'x-gzip') return await unpack(bytes, 'gzip', limitBytes)
    if (name === 'deflate') return await unpack(bytes, 'deflate', limitBytes)
    if (name === 'br') return await unpackBrotli(bytes, limitBytes)
  } catch {
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

async function unpack(
  bytes: Uint8Array,
  format: 'gzip' | 'deflate',
  limitBytes: number,
): Promise<Uint8Array | 'too-large'> {
  const packed = new Response(bytes as BodyInit).body!
  const reader = packed.pipeThrough(new DecompressionStream(format)).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length
    if (size > limitBytes) {
      void reader.cancel().catch(() => {})
      return 'too-large'
    }
    chunks.push(next.value)
  }
  return joined(chunks, size)
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
function unpackBrotli(bytes: Uint8Array, limitBytes: number): Promise<Uint8Array | 'too-large'> {
  const { brotliDecompress } = globalThis.process.getBuiltinModule('node:zlib')
  return new Promise((resolve, reject) => {
    brotliDecompress(bytes, { maxOutputLength: limitBytes }, (error, unpacked) => {
      if (!error) resolve(unpacked)
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') resolve('too-large')
      else reject(error)
    })
  })
}
