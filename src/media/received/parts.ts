import { caps } from '../../engine/caps.ts'
import type { PictureFormat } from '../raster/raster.ts'

/**
 * How many parts a file may have. Photos have some dozens, animations some hundreds, and large PNGs one for each 4 or 8 kB.
 */
export const maxPartsOf = (bytes: Uint8Array): number => Math.floor(caps.imageParts + bytes.length / 2_048)
/** How many steps through a file are allowed: its pixels come in pieces too, which have 255 bytes in a GIF. */
const maxStepsOf = (bytes: Uint8Array): number => maxPartsOf(bytes) + bytes.length / 64

/**
 * Whether a file has more chunks, segments, frames or boxes than real pictures have. Decoders take time for each of them,
 * sometimes quadratic time. Decodes nothing: each step skips a part by its length.
 */
export function hasTooManyParts(bytes: Uint8Array, format: PictureFormat): boolean {
  const walk = walks[format]
  if (!walk) return false
  const [maxParts, maxSteps] = [maxPartsOf(bytes), maxStepsOf(bytes)]
  let [parts, steps] = [0, 0]
  for (const isPart of walk(bytes)) {
    steps += 1
    parts += Number(isPart)
    if (parts > maxParts || steps > maxSteps) return true
  }
  return false
}

/** Walks through a file. Each step yields whether it is a part; otherwise it is a piece of the pixels. */
type Walk = (bytes: Uint8Array) => Generator<boolean>

/** The walk of each format. A TIFF is a chain, whose length its decoder limits. */
const walks: Partial<Record<PictureFormat, Walk>> = {
  png: (bytes) => walkChunks(bytes, { first: 8, lengthAt: 0, overhead: 12, isLittle: false }),
  webp: (bytes) => walkChunks(bytes, { first: 12, lengthAt: 4, overhead: 8, isLittle: true }),
  heif: (bytes) => walkBoxes(bytes, 0, bytes.length, 0),
  jpeg: walkSegments,
  gif: walkBlocks,
}

interface ChunkLayout {
  first: number
  lengthAt: number
  overhead: number
  isLittle: boolean
}

function* walkChunks(
  bytes: Uint8Array,
  { first, lengthAt, overhead, isLittle }: ChunkLayout,
): Generator<boolean> {
  const view = viewOf(bytes)
  for (let at = first; at + overhead <= bytes.length;) {
    const length = view.getUint32(at + lengthAt, isLittle)
    // Chunks of RIFF begin at even offsets.
    at += overhead + length + (isLittle ? length % 2 : 0)
    yield true
  }
}

const containers: ReadonlySet<string> = new Set([
  'meta',
  'iprp',
  'ipco',
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
])
const maxDepth = 8

function* walkBoxes(bytes: Uint8Array, from: number, to: number, depth: number): Generator<boolean> {
  const view = viewOf(bytes)
  for (let at = from; at + 8 <= to;) {
    const size = view.getUint32(at)
    yield true
    // Size 0 means up to the end. Size 1 means that 64 bits follow, as for gigabytes of pixels.
    if (size < 8) return
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    if (containers.has(name) && depth < maxDepth) {
      yield* walkBoxes(bytes, at + (name === 'meta' ? 12 : 8), Math.min(at + size, to), depth + 1)
    }
    at += size
  }
}

const [startOfScan, endOfImage] = [0xda, 0xd9]

/** Walks over markers, and over bytes stuffed into the pixels of a scan. */
function* walkSegments(bytes: Uint8Array): Generator<boolean> {
  for (let at = 2; at + 4 <= bytes.length;) {
    const marker = bytes[at] === 0xff ? bytes[at + 1]! : 0
    if (marker === endOfImage) return
    const hasLength = marker >= 0xc0 && marker < 0xff && (marker < 0xd0 || marker >= startOfScan)
    yield hasLength
    if (hasLength) at += 2 + bytes[at + 2]! * 256 + bytes[at + 3]!
    else at += 1
    // Finds the next marker, after a scan or unknown bytes.
    if (bytes[at] !== 0xff || !hasLength) at = bytes.indexOf(0xff, at)
    if (at < 0) return
  }
}

const [extension, image] = [0x21, 0x2c]

function* walkBlocks(bytes: Uint8Array): Generator<boolean> {
  const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let at = 13 + tableBytes(bytes[10] ?? 0)
  while (at < bytes.length) {
    const kind = bytes[at]
    if (kind !== extension && kind !== image) return
    yield true
    at += kind === extension ? 2 : 11 + tableBytes(bytes[at + 9] ?? 0)
    for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) {
      at += 1 + length
      yield false
    }
    at += 1
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
