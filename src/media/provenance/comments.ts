import { joinBytes, u16, utf8, box, boxesOf, fullBox, latin1, u32 } from '../h264/boxes.ts'

/** One chunk of a PNG file (PNG §5.3). */
interface PngChunk {
  /** Four letters, such as `IHDR`. */
  name: string
  data: Uint8Array
  /** The CRC of name and data, as stored in the file. */
  checksum: number
  /** All bytes of the chunk. */
  whole: Uint8Array
}

export const pngSignature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

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

/** The keyword under which image viewers and exiftool show a text. */
const keyword = 'Comment'

/**
 * Adds a comment to a PNG, and marks it as sRGB with 72 pixels per inch.
 * @param comment any text. It is written as uncompressed `iTXt` in UTF-8.
 */
export function addToPng(bytes: Uint8Array, comment: string): Uint8Array {
  const [header, ...rest] = [...chunksOfPng(bytes)].filter(({ name }) => !replacedChunks.has(name))
  if (!header) return bytes
  const comments = [textChunk('Software', 'greenroom'), textChunk(keyword, comment)]
  return joinBytes([
    pngSignature,
    header.whole,
    sRgb,
    resolution,
    ...comments,
    ...rest.map(({ whole }) => whole),
  ])
}

/** A checksum that changes with the pixels of a PNG, and with their compression. */
export function pixelChecksum(bytes: Uint8Array): string {
  let sum = 0
  for (const { name, checksum } of chunksOfPng(bytes)) {
    if (name === 'IDAT') sum = (Math.imul(sum, 31) + checksum) >>> 0
  }
  return sum.toString(16).padStart(8, '0')
}

const replacedChunks: ReadonlySet<string> = new Set(['sRGB', 'pHYs', 'gAMA', 'cHRM', 'iCCP'])

/** The rendering intent: perceptual. */
const sRgb = pngChunk('sRGB', Uint8Array.of(0))

/** Pixels per metre, in both directions: 72 per inch. */
const resolution = pngChunk('pHYs', Uint8Array.of(0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1))

/** A text chunk: the keyword, not compressed, no language, and the text. */
function textChunk(name: string, text: string): Uint8Array {
  return pngChunk('iTXt', utf8(`${name}\0\0\0\0\0${text}`))
}

/** In bytes. The length is written in 16 bits and includes these. */
const maxJpegComment = 65_533

const startOfImage = 2
const marker = Uint8Array.of(0xff, 0xfe)

/** Adds a comment to a JPEG as its first segment. If the comment is too long, the JPEG stays unchanged. */
export function addToJpeg(bytes: Uint8Array, comment: string): Uint8Array {
  const text = utf8(comment)
  if (text.length > maxJpegComment) return bytes
  return joinBytes([
    bytes.subarray(0, startOfImage),
    marker,
    u16(text.length + 2),
    text,
    bytes.subarray(startOfImage),
  ])
}

/**
 * Adds a comment to an MP4 in `moov/udta`, in the format of iTunes, which players and ffprobe show. It moves the data, so
 * the offsets of chunks are adjusted.
 * @param comment any text.
 */
export function addToMp4(bytes: Uint8Array, comment: string): Uint8Array {
  const movie = boxesOf(bytes).find(({ name }) => name === 'moov')
  if (!movie) return bytes
  const { start, end } = movie
  const tags = box('ilst', tag('©too', 'greenroom'), tag('©cmt', comment))
  const handler = fullBox('hdlr', 0, u32(0), latin1('mdirappl'), u32(0, 0), new Uint8Array(1))
  const userData = box('udta', fullBox('meta', 0, handler, tags))
  const content = bytes.slice(start + 8, end)
  moveChunks(content, userData.length)
  return joinBytes([bytes.subarray(0, start), box('moov', content, userData), bytes.subarray(end)])
}

const utf8Type = 1

function tag(name: string, value: string): Uint8Array {
  return box(name, box('data', u32(utf8Type, 0), utf8(value)))
}

/** Adds to all chunk offsets in the content of `moov`, in place. */
function moveChunks(content: Uint8Array, by: number): void {
  for (const { name, start, end } of boxesOf(content)) {
    const inner = content.subarray(start + 8, end)
    if (containers.has(name)) moveChunks(inner, by)
    if (name !== 'stco') continue
    const view = new DataView(inner.buffer, inner.byteOffset, inner.byteLength)
    for (let at = 8; at + 4 <= view.byteLength; at += 4) view.setUint32(at, view.getUint32(at) + by)
  }
}

const containers: ReadonlySet<string> = new Set(['trak', 'mdia', 'minf', 'stbl'])
