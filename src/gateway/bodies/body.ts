import { abortError, GatewayError } from '../replies/errors.ts'
import { headerOf, type GatewayRequest } from '../request.ts'

/** The code of a refused body that is too large. Some routes replace the response to it. */
export const bodyTooLarge = 'body_too_large'

/**
 * Reads a body into memory, decompressed, up to a limit. A body whose announced length is above the limit isn't read.
 * @param held reserves memory for the body, until the caller releases it.
 * @throws {GatewayError} above the limit, if the memory budget is used up, for a broken encoding, and when the client
 * leaves in the middle.
 * @assumed §8 body limits are not documented; wire §1.6 and §2.4, the row “Body too large”.
 */
export async function readBody(
  incoming: GatewayRequest,
  limitBytes: number,
  held: BodyReservation,
): Promise<Uint8Array> {
  if ((incoming.announcedBytes ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const { body } = incoming
  let bytes: Uint8Array
  try {
    bytes = typeof body === 'function' ? await body() : await collect(body ?? [], limitBytes, held)
  } catch (error) {
    if (error instanceof GatewayError) throw error
    throw abortError(400, 'Invalid request: the body broke off before its end')
  }
  if (typeof body === 'function') held.take(bytes.length)
  if (bytes.length > limitBytes) throw tooLarge(limitBytes)
  const encoding = headerOf(incoming, 'content-encoding')
  return encoding === '' ? bytes : decompress(bytes, encoding, limitBytes, held)
}

/** Reserves memory for each chunk before the next one is read. */
async function collect(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  limitBytes: number,
  held: BodyReservation,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    held.take(chunk.length)
    chunks.push(chunk)
  }
  return joinChunks(chunks, size)
}

/** The refusal of a request body or a form that is too large. */
export function tooLarge(limitBytes: number, what = 'request body'): GatewayError {
  const limit = `${Number((limitBytes / 1024 / 1024).toFixed(2))} MB`
  const message = `${what} exceeds ${limit}: request body too large`
  const error = abortError(400, `Invalid request: Invalid request: ${message}`)
  return new GatewayError(error.status, error.message, (requestId) => error.body(requestId), {}, bodyTooLarge)
}

/** Limits the memory for the bodies of all requests together. */
export class BodyBudget {
  readonly #maxBytes: number
  #heldBytes = 0

  /** @param maxBytes the limit. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Opens the reservation of one request. Release it when the body is parsed. */
  open(): BodyReservation {
    let ownBytes = 0
    return {
      take: (bytes) => {
        if (this.#heldBytes + bytes > this.#maxBytes) throw memoryRefusal(this.#maxBytes)
        this.#heldBytes += bytes
        ownBytes += bytes
      },
      release: () => {
        this.#heldBytes -= ownBytes
        ownBytes = 0
      },
    }
  }

  get heldBytes(): number {
    return this.#heldBytes
  }
}

/** The memory reserved for one body. */
interface BodyReservation {
  /** @throws {GatewayError} 503 if the budget has fewer bytes left. */
  readonly take: (bytes: number) => void
  readonly release: () => void
}

/** @assumed §8 the answer to a full memory is not documented; wire §2.2, the row “Server overloaded”. */
function memoryRefusal(maxBytes: number): Error {
  const megabytes = maxBytes / 1024 / 1024
  return abortError(
    503,
    `bodies of more than ${megabytes} MB are being read already; try again later`,
    'system_memory_overloaded',
  )
}

/** Larger than Node's own chunks, so that fewer calls are needed. */
const pieceBytes = 256 * 1024

/**
 * Decompresses a body by its `Content-Encoding`. The limits apply during decompression, so a small body can't exhaust
 * memory.
 *
 * @param encoding the header; `identity` leaves the bytes as they are.
 * @param limitBytes the maximum size of the result.
 * @param held reserves memory for the result.
 * @throws {GatewayError} above the limit, for an unknown encoding, for bytes that are not encoded so, and if the memory
 * budget is used up.
 * @assumed §4.1 compressed bodies are not documented; wire §1.5: gzip and brotli.
 */
async function decompress(
  bytes: Uint8Array,
  encoding: string,
  limitBytes: number,
  held: BodyReservation,
): Promise<Uint8Array> {
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
  const quoted = JSON.stringify(encoding.slice(0, 60))
  throw abortError(
    400,
    `Invalid request: Content-Encoding ${quoted} is not known; use gzip, deflate or br, one at a time`,
  )
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

export function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The web's decompression API lacks brotli, so Node's is used. Browsers never send brotli. */
function decompressBrotli(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  const { createBrotliDecompress } = globalThis.process.getBuiltinModule('node:zlib')
  const unpacking = createBrotliDecompress({ chunkSize: pieceBytes })
  unpacking.end(bytes)
  return unpacking
}
