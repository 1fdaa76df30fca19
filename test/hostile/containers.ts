import { deflateSync } from 'node:zlib'
import { pngChunk, pngSignature } from '../../src/media/provenance/comments.ts'

/** As large as an image may be. */
const imageBytes = 20 * 1024 * 1024 - 64

const repeated = (head: Uint8Array, unit: Uint8Array, tail: Uint8Array = new Uint8Array()): Buffer => {
  const count = Math.floor((imageBytes - head.length - tail.length) / unit.length)
  const body = Buffer.alloc(count * unit.length, unit)
  return Buffer.concat([head, body, tail])
}

const pngHead = Buffer.concat([
  pngSignature,
  pngChunk('IHDR', Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0)),
])
const pngTail = Buffer.concat([
  pngChunk('IDAT', deflateSync(Buffer.alloc(2))),
  pngChunk('IEND', new Uint8Array()),
])

/** A JPEG of 8 by 8 pixels without its first marker. */
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AfwD/2Q==',
  'base64',
)

const gifHead = Buffer.concat([
  Buffer.from('GIF89a'),
  Buffer.from([1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
])
const gifFrame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])

const riff = (content: Buffer): Buffer => {
  const head = Buffer.alloc(12)
  head.write('RIFF')
  head.writeUInt32LE(content.length + 4, 4)
  head.write('WEBP', 8)
  return Buffer.concat([head, content])
}

const box = (name: string, content: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(name, 4)
  return Buffer.concat([head, content])
}
const brand = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1'))

/** Files of very many parts, by their format. */
export const manyParts: Readonly<Record<string, () => Buffer>> = {
  'a PNG of empty chunks': () => repeated(pngHead, pngChunk('teST', new Uint8Array()), pngTail),
  'a PNG of texts': () => repeated(pngHead, pngChunk('tEXt', Buffer.from('a\0b')), pngTail),
  'a PNG of empty pixels': () => repeated(pngHead, pngChunk('IDAT', new Uint8Array()), pngTail),
  'a JPEG of comments': () =>
    repeated(jpeg.subarray(0, 2), Buffer.from([0xff, 0xfe, 0, 3, 65]), jpeg.subarray(2)),
  'a JPEG of application data': () =>
    repeated(jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, 3, 65]), jpeg.subarray(2)),
  'a JPEG of fill bytes': () => repeated(jpeg.subarray(0, 2), Buffer.from([0xff]), jpeg.subarray(2)),
  'a GIF of frames': () => repeated(gifHead, gifFrame, Buffer.from([0x3b])),
  'a GIF of comments': () =>
    repeated(gifHead, Buffer.from([0x21, 0xfe, 1, 65, 0]), Buffer.concat([gifFrame, Buffer.from([0x3b])])),
  'a WebP of chunks': () => riff(repeated(Buffer.alloc(0), Buffer.from('teST\0\0\0\0', 'latin1'))),
  'an AVIF of boxes': () => repeated(brand, box('free')),
  'an AVIF of nested boxes': () =>
    Buffer.concat([
      brand,
      box('moov', box('udta', repeated(Buffer.alloc(0), box('free')).subarray(0, 16_000_000))),
    ]),
  'a TIFF of a circle': () =>
    Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), Buffer.alloc(20_000_000, 1)]),
}
