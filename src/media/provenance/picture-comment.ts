import { joinBytes, u16, utf8 } from '../h264/boxes.ts'
import { chunksOfPng, isPng, pngChunk, pngSignature } from './png-chunks.ts'

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

/** The beginnings of a comment. Other software that preserves ours writes `tEXt` if it has only ASCII. */
const textHeads: ReadonlyMap<string, Uint8Array> = new Map([
  ['iTXt', utf8(`${keyword}\0\0\0\0\0`)],
  ['tEXt', utf8(`${keyword}\0`)],
])

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

/** The comment that {@link addToJpeg} wrote. */
export function commentOfJpeg(bytes: Uint8Array): string | undefined {
  if (bytes[2] !== marker[0] || bytes[3] !== marker[1]) return undefined
  const length = bytes[4]! * 256 + bytes[5]!
  return new TextDecoder().decode(bytes.subarray(6, 4 + length))
}
