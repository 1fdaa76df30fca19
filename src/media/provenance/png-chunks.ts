/** One chunk of a PNG file (PNG §5.3). */
export interface PngChunk {
  /** Four letters, such as `IHDR`. */
  name: string
  data: Uint8Array
  /** The CRC of name and data, as stored in the file. */
  checksum: number
  /** All bytes of the chunk. */
  whole: Uint8Array
}

export const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

export function isPng(bytes: Uint8Array): boolean {
  return pngSignature.every((byte, index) => bytes[index] === byte)
}

/** 20 MB in chunks of 4 kB, which encoders write, are 5,000. Empty chunks could be 1.6 million. */
const maxChunks = 20_000

/** The first chunks of a PNG file, up to its end or to an incomplete one. Does not verify checksums. */
export function* chunksOfPng(bytes: Uint8Array): Generator<PngChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = pngSignature.length
  for (let count = 0; count < maxChunks && at + 12 <= bytes.length; count += 1) {
    const length = view.getUint32(at)
    const end = at + 12 + length
    if (end > bytes.length) return
    yield {
      name: String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
      data: bytes.subarray(at + 8, end - 4),
      checksum: view.getUint32(end - 4),
      whole: bytes.subarray(at, end),
    }
    at = end
  }
}

/** Encodes a chunk. */
export function pngChunk(name: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, data.length)
  for (let index = 0; index < 4; index += 1) bytes[4 + index] = name.charCodeAt(index)
  bytes.set(data, 8)
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)))
  return bytes
}

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

function crc32(bytes: Uint8Array): number {
  let value = -1
  for (const byte of bytes) value = (value >>> 8) ^ crcTable[(value ^ byte) & 0xff]!
  return ~value >>> 0
}
