import { joinBytes, u32 } from '../h264/boxes.ts'
import { pngChunk, pngSignature } from '../provenance/png-chunks.ts'
import type { Pixels } from './pixels.ts'
import { softBytes } from './raster.ts'

/** Encodes a PNG. A browser's own always have four channels, and are up to twice as large. */
export async function compressedPng(pixels: Pixels): Promise<Uint8Array> {
  const plain = await deflate(plainRows(pixels))
  // Soft slopes, such as in blends, are smaller as differences.
  const filtered = plain.length > softBytes ? await deflate(filteredRows(pixels)) : plain
  const [bitDepth, colourType] = [8, pixels.channels === 4 ? 6 : 2]
  const header = joinBytes([u32(pixels.width, pixels.height), Uint8Array.of(bitDepth, colourType, 0, 0, 0)])
  const data = filtered.length < plain.length ? filtered : plain
  const chunks = [pngChunk('IHDR', header), pngChunk('IDAT', data), pngChunk('IEND', new Uint8Array())]
  return joinBytes([pngSignature, ...chunks])
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Each row, preceded by a byte for its filter: none. */
function plainRows({ data, width, height, channels }: Pixels): Uint8Array<ArrayBuffer> {
  const rowBytes = width * channels
  const rows = new Uint8Array((rowBytes + 1) * height)
  for (let y = 0; y < height; y += 1)
    rows.set(data.subarray(y * rowBytes, (y + 1) * rowBytes), y * (rowBytes + 1) + 1)
  return rows
}

/** Each row as differences to the left, above or predicted value (PNG §9.2): whichever has the smallest sum. */
function filteredRows({ data, width, height, channels }: Pixels): Uint8Array<ArrayBuffer> {
  const rowBytes = width * channels
  const rows = new Uint8Array((rowBytes + 1) * height)
  const candidates = [1, 2, 4].map((filter) => ({ filter, row: new Uint8Array(rowBytes) }))
  for (let y = 0; y < height; y += 1) {
    const sums = candidates.map(({ filter, row }) => {
      let sum = 0
      for (let x = 0, at = y * rowBytes; x < rowBytes; x += 1, at += 1) {
        const left = x < channels ? 0 : data[at - channels]!
        const above = y === 0 ? 0 : data[at - rowBytes]!
        const corner = x < channels || y === 0 ? 0 : data[at - rowBytes - channels]!
        const expected = filter === 1 ? left : filter === 2 ? above : predictPaeth(left, above, corner)
        const difference = (data[at]! - expected) & 0xff
        row[x] = difference
        sum += difference < 128 ? difference : 256 - difference
      }
      return sum
    })
    const { filter, row } = candidates[sums.indexOf(Math.min(...sums))]!
    rows[y * (rowBytes + 1)] = filter
    rows.set(row, y * (rowBytes + 1) + 1)
  }
  return rows
}

/** The neighbour that is nearest to left + above - corner. */
function predictPaeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [toLeft, toAbove, toCorner] = [
    Math.abs(guess - left),
    Math.abs(guess - above),
    Math.abs(guess - corner),
  ]
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
