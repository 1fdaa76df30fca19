import { joined, u16, utf8 } from '../h264/boxes.ts'
import { chunksOfPng, isPng, pngChunk, pngSignature } from './png-chunks.ts'

/** The keyword under which image viewers and exiftool show a text. */
const keyword = 'Comment'

/**
 * A PNG with a comment, marked as sRGB and as 72 pixels per inch.
 * @param comment any text; it is written as `iTXt` in UTF-8, not compressed.
 */
export function addToPng(bytes: Uint8Array, comment: string): Uint8Array {
  const [header, ...rest] = [...chunksOfPng(bytes)].filter(({ name }) => !replacedChunks.has(name))
  if (!header) return bytes
  const comments = [textChunk('Software', 'greenroom'), textChunk(keyword, comment)]
  return joined([
    pngSignature,
    header.whole,
    sRgb,
    resolution,
    ...comments,
    ...rest.map(({ whole }) => whole),
  ])
}

/** Changes with the pixels of a PNG, and with how they are compressed. */
export function pixelChecksum(bytes: Uint8Array): string {
  let sum = 0
  for (const { name, checksum } of chunksOfPng(bytes)) {
    if (name === 'IDAT') sum = (Math.imul(sum, 31) + checksum) >>> 0
  }
  return sum.toString(16).padStart(8, '0')
}

/** The comment of a PNG; undefined if it has none. */
export function commentOfPng(bytes: Uint8Array, maxLength: number): string | undefined {
  if (!isPng(bytes)) return undefined
  for (const { name, data } of chunksOfPng(bytes)) {
    const head = textHeads.get(name)
    if (!head || data.length > maxLength * 4 || !head.every((byte, index) => data[index] === byte)) continue
    return new TextDecoder().decode(data.subarray(head.length))
  }
  return undefined
}

/** What a comment begins with. Other software that keeps ours writes `tEXt` if it has only ASCII. */
const textHeads: ReadonlyMap<string, Uint8Array> = new Map([
  ['iTXt', utf8(`${keyword}\0\0\0\0\0`)],
  ['tEXt', utf8(`${keyword}\0`)],
])

const replacedChunks: ReadonlySet<string> = new Set(['sRGB', 'pHYs', 'gAMA', 'cHRM', 'iCCP'])

/** Rendering intent: perceptual. */
const sRgb = pngChunk('sRGB', Uint8Array.of(0))

/** Pixels per metre, in both directions: 72 per inch. */
const resolution = pngChunk('pHYs', Uint8Array.of(0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1))

/** Keyword, not compressed, no language, text. */
function textChunk(name: string, text: string): Uint8Array {
  return pngChunk('iTXt', utf8(`${name}\0\0\0\0\0${text}`))
}

/** In bytes: the length is written in 16 bits, which count themselves. */
const maxJpegComment = 65_533

const startOfImage = 2
const marker = Uint8Array.of(0xff, 0xfe)

/** A JPEG with a comment as its first segment; as it is if the comment is too long for one. */
export function addToJpeg(bytes: Uint8Array, comment: string): Uint8Array {
  const text = utf8(comment)
  if (text.length > maxJpegComment) return bytes
  return joined([
    bytes.subarray(0, startOfImage),
    marker,
    u16(text.length + 2),
    text,
    bytes.subarray(startOfImage),
  ])
}

/** The comment that {@link addToJpeg} wrote. */
export function commentOfJpeg(bytes: Uint8Array): string | undefined {
  if (bytes[2] !== marker[0] || bytes[3] !== marker[1]) return undefined
  const length = bytes[4]! * 256 + bytes[5]!
  return new TextDecoder().decode(bytes.subarray(6, 4 + length))
}
