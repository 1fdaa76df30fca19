import { type Bits, brightnessLevels, colourLevels, putLevels, unitOf } from './coefficients.ts'
import { sliceHeader } from './headers.ts'

/**
 * A coarse picture of whole macroblocks: one brightness for every 4 by 4 pixels (4 × 4 in a macroblock), one pair of
 * colours for every 8 by 8 (2 × 2). 8-bit samples in studio range.
 */
export interface Mosaic {
  /** In macroblocks. */
  columns: number
  rows: number
  /** 4 * columns wide. */
  brightness: Uint8Array
  /** 2 * columns wide. */
  blue: Uint8Array
  red: Uint8Array
}

/** Encodes mosaics. Decoders show each tile within a few steps of its value. */
export class MosaicEncoder {
  readonly #columns: number
  readonly #rows: number
  readonly #levels = { brightness: new Int16Array(16), blue: new Int16Array(4), red: new Int16Array(4) }
  readonly #brightness: Plane
  readonly #blue: Plane
  readonly #red: Plane
  #last: Mosaic | undefined

  constructor({ columns, rows }: { columns: number; rows: number }) {
    this.#columns = columns
    this.#rows = rows
    this.#brightness = new Plane({ columns, rows, tiles: 4 })
    this.#blue = new Plane({ columns, rows, tiles: 2 })
    this.#red = new Plane({ columns, rows, tiles: 2 })
  }

  /** Encodes a mosaic as a key picture. */
  keyPicture(mosaic: Mosaic, keyNumber: number): Uint8Array {
    const bits = sliceHeader({ key: true, keyNumber })
    for (let row = 0; row < this.#rows; row += 1)
      for (let column = 0; column < this.#columns; column += 1)
        this.#putMacroblock(bits, mosaic, { column, row, firstType: 0 })
    this.#last = mosaic
    return unitOf({ type: 5, importance: 3, payload: bits.finish() })
  }

  /** Encodes the differences from the previous mosaic. */
  changedPicture(mosaic: Mosaic, frameNumber: number): Uint8Array {
    const bits = sliceHeader({ key: false, frameNumber })
    let skipped = 0
    for (let row = 0; row < this.#rows; row += 1) {
      for (let column = 0; column < this.#columns; column += 1) {
        if (this.#isAsBefore(mosaic, column, row)) {
          skipped += 1
          continue
        }
        bits.unsigned(skipped)
        skipped = 0
        // Table 7-13: in other pictures, the types of key pictures come after five others.
        this.#putMacroblock(bits, mosaic, { column, row, firstType: 5 })
      }
    }
    if (skipped > 0) bits.unsigned(skipped)
    this.#last = mosaic
    return unitOf({ type: 1, importance: 2, payload: bits.finish() })
  }

  #isAsBefore(mosaic: Mosaic, column: number, row: number): boolean {
    const last = this.#last!
    return (
      this.#brightness.isSame(mosaic.brightness, last.brightness, column, row) &&
      this.#blue.isSame(mosaic.blue, last.blue, column, row) &&
      this.#red.isSame(mosaic.red, last.red, column, row)
    )
  }

  #putMacroblock(
    bits: Bits,
    mosaic: Mosaic,
    { column, row, firstType }: { column: number; row: number; firstType: number },
  ): void {
    const levels = this.#levels
    takeBrightness(this.#brightness.load(mosaic.brightness, column, row), levels.brightness)
    const hasBlue = takeColour(this.#blue.load(mosaic.blue, column, row), levels.blue)
    const hasRed = takeColour(this.#red.load(mosaic.red, column, row), levels.red)
    const { withColour, withoutColour } = predictedFromMean
    bits.unsigned(firstType + (hasBlue || hasRed ? withColour : withoutColour))
    bits.unsigned(0) // Colours are predicted from their mean, too.
    bits.signed(0) // The quantiser stays the same.
    putLevels(bits, brightnessLevels, levels.brightness)
    if (!hasBlue && !hasRed) return
    putLevels(bits, colourLevels, levels.blue)
    putLevels(bits, colourLevels, levels.red)
  }
}

/** Encodes a picture that repeats the previous one: every macroblock is skipped. */
export function repeatedPicture(options: { columns: number; rows: number; frameNumber: number }): Uint8Array {
  const bits = sliceHeader({ key: false, frameNumber: options.frameNumber })
  bits.unsigned(options.columns * options.rows)
  return unitOf({ type: 1, importance: 2, payload: bits.finish() })
}

/** Table 7-11: a macroblock of 16 by 16, predicted as a whole, without fine detail. */
const predictedFromMean = { withoutColour: 3, withColour: 7 }

/**
 * The samples that a decoder outputs, from which the next macroblocks are predicted. One macroblock is current: before it
 * is encoded, it contains the samples to encode.
 */
class Plane {
  readonly #samples: Uint8Array
  readonly #width: number
  readonly #tiles: number
  #start = 0
  hasAbove = false
  hasLeft = false

  /** @param size the size in macroblocks, and the number of tiles along each side of a macroblock. */
  constructor({ columns, rows, tiles }: { columns: number; rows: number; tiles: number }) {
    this.#samples = new Uint8Array(columns * rows * tiles * tiles)
    this.#width = columns * tiles
    this.#tiles = tiles
  }

  /** Loads the samples of a macroblock to encode. */
  load(samples: Uint8Array, column: number, row: number): this {
    const start = this.#startOf(column, row)
    for (let y = 0, at = start; y < this.#tiles; y += 1, at += this.#width)
      for (let x = 0; x < this.#tiles; x += 1) this.#samples[at + x] = samples[at + x]!
    this.#start = start
    this.hasAbove = row > 0
    this.hasLeft = column > 0
    return this
  }

  isSame(one: Uint8Array, other: Uint8Array, column: number, row: number): boolean {
    for (let y = 0, at = this.#startOf(column, row); y < this.#tiles; y += 1, at += this.#width)
      for (let x = 0; x < this.#tiles; x += 1) if (one[at + x] !== other[at + x]) return false
    return true
  }

  #startOf(column: number, row: number): number {
    return row * this.#tiles * this.#width + column * this.#tiles
  }

  /** The index -1 is the last sample of the neighbour. */
  get(x: number, y: number): number {
    return this.#samples[this.#start + y * this.#width + x]!
  }

  show(x: number, y: number, value: number): void {
    this.#samples[this.#start + y * this.#width + x] = value < 0 ? 0 : value > 255 ? 255 : value
  }
}

/** Computes the sixteen levels of a macroblock's brightness, and stores their decoded values in the plane. */
function takeBrightness(plane: Plane, levels: Int16Array): void {
  const predicted = meanOfNeighbours(plane)
  const values = new Int16Array(16)
  let isAsPredicted = true
  for (let i = 0; i < 16; i += 1) {
    values[i] = plane.get(i & 3, i >> 2) - predicted
    if (values[i] !== 0) isAsPredicted = false
  }
  levels.fill(0)
  if (isAsPredicted) return

  hadamard(values)
  for (let i = 0; i < 16; i += 1) {
    values[i] = Math.round(values[i]! / 16)
    levels[scanned[i]!] = values[i]!
  }
  hadamard(values)
  for (let i = 0; i < 16; i += 1) plane.show(i & 3, i >> 2, predicted + values[i]!)
}

/** §8.3.3.3: the mean of the neighbours above and to the left, by which a whole macroblock is predicted. */
function meanOfNeighbours(plane: Plane): number {
  let sum = 0
  for (let i = 0; i < 4; i += 1) {
    if (plane.hasAbove) sum += plane.get(i, -1)
    if (plane.hasLeft) sum += plane.get(-1, i)
  }
  if (plane.hasAbove && plane.hasLeft) return (sum + 4) >> 3
  return plane.hasAbove || plane.hasLeft ? (sum + 2) >> 2 : 128
}

/** The inverse of the zigzag in Figure 8-8: the scan index of each position. */
const scanned = [0, 1, 5, 6, 2, 4, 7, 12, 3, 8, 11, 13, 9, 10, 14, 15]

/** §8.5.10: the transform over the sixteen means of a macroblock. It is its own inverse, except for a factor of 16. */
function hadamard(values: Int16Array): void {
  for (let y = 0; y < 16; y += 4) butterfly(values, y, 1)
  for (let x = 0; x < 4; x += 1) butterfly(values, x, 4)
}

function butterfly(values: Int16Array, start: number, step: number): void {
  const a = values[start]!
  const b = values[start + step]!
  const c = values[start + 2 * step]!
  const d = values[start + 3 * step]!
  values[start] = a + b + c + d
  values[start + step] = a + b - c - d
  values[start + 2 * step] = a - b - c + d
  values[start + 3 * step] = a - b + c - d
}

/**
 * Computes the four levels of a macroblock's blue or red, and stores their decoded values in the plane.
 * @returns whether any level is nonzero.
 */
function takeColour(plane: Plane, levels: Int16Array): boolean {
  const p0 = predictedColour(plane, 0, 0)
  const p1 = predictedColour(plane, 1, 0)
  const p2 = predictedColour(plane, 0, 1)
  const p3 = predictedColour(plane, 1, 1)
  levels[0] = plane.get(0, 0) - p0
  levels[1] = plane.get(1, 0) - p1
  levels[2] = plane.get(0, 1) - p2
  levels[3] = plane.get(1, 1) - p3
  fourWays(levels)
  for (let i = 0; i < 4; i += 1) levels[i] = Math.round(levels[i]! / 4)

  const [a = 0, b = 0, c = 0, d = 0] = levels
  plane.show(0, 0, p0 + a + b + c + d)
  plane.show(1, 0, p1 + a - b + c - d)
  plane.show(0, 1, p2 + a + b - c - d)
  plane.show(1, 1, p3 + a - b - c + d)
  return (a | b | c | d) !== 0
}

/** §8.5.11: the transform over the four means of a macroblock. It is its own inverse, except for a factor of 4. */
function fourWays(values: Int16Array): void {
  const [a = 0, b = 0, c = 0, d = 0] = values
  values[0] = a + b + c + d
  values[1] = a - b + c - d
  values[2] = a + b - c - d
  values[3] = a - b - c + d
}

/** §8.3.4.1–3: each tile is predicted from above and from the left. Tiles off the diagonal prefer one of the two. */
function predictedColour(plane: Plane, x: number, y: number): number {
  const { hasAbove, hasLeft } = plane
  const looksUp = hasAbove && !(x < y && hasLeft)
  const looksLeft = hasLeft && !(x > y && hasAbove)
  if (looksUp && looksLeft) return (plane.get(x, -1) + plane.get(-1, y) + 1) >> 1
  if (looksUp) return plane.get(x, -1)
  return looksLeft ? plane.get(-1, y) : 128
}
