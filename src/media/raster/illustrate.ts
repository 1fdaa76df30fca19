import type { Pixels } from './pixels.ts'

/** The maximum number of colours of an illustration. */
const maxColours = 20

/** The reach of the brush around a pixel. */
const brushRadius = 3

/**
 * Smooths a photo like a brush (a Kuwahara filter). Each pixel gets the mean of the most even of the squares at its
 * corners, so noise and texture disappear, and edges stay.
 */
export function brushOver({ data, width, height, channels }: Pixels): Pixels {
  const sums = sumsOf({ data, width, height, channels })
  const brushed = new Uint8Array(width * height * 3)
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, to += 3) {
      let least = Infinity
      for (let square = 0; square < 4; square += 1) {
        const left = square & 1 ? x : Math.max(0, x - brushRadius)
        const right = square & 1 ? Math.min(width, x + brushRadius + 1) : x + 1
        const top = square & 2 ? y : Math.max(0, y - brushRadius)
        const bottom = square & 2 ? Math.min(height, y + brushRadius + 1) : y + 1
        const area = (right - left) * (bottom - top)
        const above = top * (width + 1)
        const below = bottom * (width + 1)
        const light = sumOver(sums, above + left, above + right, below + left, below + right, 3) / area
        const squares = sumOver(sums, above + left, above + right, below + left, below + right, 4) / area
        const variance = squares - light * light
        if (variance >= least) continue
        least = variance
        for (let of = 0; of < 3; of += 1)
          brushed[to + of] =
            sumOver(sums, above + left, above + right, below + left, below + right, of) / area + 0.5
      }
    }
  }
  return { data: brushed, width, height, channels: 3 }
}

/** The sums of each pixel: red, green, blue, light and squared light. */
const sumCount = 5

/** Sums over everything above and to the left, so that the sum of any rectangle takes four look-ups. */
function sumsOf({ data, width, height, channels }: Pixels): Float64Array {
  const rowLength = (width + 1) * sumCount
  const sums = new Float64Array(rowLength * (height + 1))
  for (let y = 0, from = 0; y < height; y += 1) {
    const row = [0, 0, 0, 0, 0]
    for (let x = 0, at = (y + 1) * rowLength; x < width; x += 1, from += channels) {
      const [red, green, blue] = [data[from]!, data[from + 1]!, data[from + 2]!]
      const light = 0.3 * red + 0.59 * green + 0.11 * blue
      row[0]! += red
      row[1]! += green
      row[2]! += blue
      row[3]! += light
      row[4]! += light * light
      at += sumCount
      for (let of = 0; of < sumCount; of += 1) sums[at + of] = sums[at + of - rowLength]! + row[of]!
    }
  }
  return sums
}

/** The sum over a rectangle, from the values at its corners. Called millions of times, so it takes no object. */
function sumOver(
  sums: Float64Array,
  upperLeft: number,
  upperRight: number,
  lowerLeft: number,
  lowerRight: number,
  of: number,
): number {
  return (
    sums[lowerRight * sumCount + of]! -
    sums[upperRight * sumCount + of]! -
    sums[lowerLeft * sumCount + of]! +
    sums[upperLeft * sumCount + of]!
  )
}

/** A colour, and its weight. */
interface Paint {
  readonly colour: readonly number[]
  readonly weight: number
}

/** The palette of a picture (median cut). Large areas count more than small ones, but less than in proportion. */
export function extractPalette({ data }: Pixels): readonly (readonly number[])[] {
  const bins = new Map<number, number[]>()
  for (let at = 0; at < data.length; at += 3) {
    const key = ((data[at]! >> 3) << 10) | ((data[at + 1]! >> 3) << 5) | (data[at + 2]! >> 3)
    const bin = bins.get(key)
    if (!bin) bins.set(key, [data[at]!, data[at + 1]!, data[at + 2]!, 1])
    else {
      bin[0]! += data[at]!
      bin[1]! += data[at + 1]!
      bin[2]! += data[at + 2]!
      bin[3]! += 1
    }
  }
  const paints = [...bins.values()].map(([red, green, blue, count]): Paint => ({
    colour: [red! / count!, green! / count!, blue! / count!],
    weight: Math.sqrt(count!),
  }))
  const boxes = [boxOf(paints)]
  while (boxes.length < maxColours) {
    const widest = boxes.reduce((one, other) => (other.spread > one.spread ? other : one))
    const { channel, mean } = widest
    const lower = widest.paints.filter(({ colour }) => colour[channel]! <= mean[channel]!)
    const upper = widest.paints.filter(({ colour }) => colour[channel]! > mean[channel]!)
    if (lower.length === 0 || upper.length === 0) break
    boxes.splice(boxes.indexOf(widest), 1, boxOf(lower), boxOf(upper))
  }
  return boxes.map(({ mean }) => mean.map(Math.round))
}

/** The visibility of differences in red, green and blue. */
const sensitivity = [0.6, 1, 0.4] as const

/** Colours that become one: their mean, their spread, and the channel with the largest spread. */
function boxOf(paints: readonly Paint[]): {
  paints: readonly Paint[]
  mean: readonly number[]
  channel: number
  spread: number
} {
  const total = paints.reduce((sum, { weight }) => sum + weight, 0)
  const mean = [0, 1, 2].map(
    (channel) => paints.reduce((sum, { colour, weight }) => sum + colour[channel]! * weight, 0) / total,
  )
  const spreads = sensitivity.map((factor, channel) =>
    paints.reduce(
      (sum, { colour, weight }) => sum + factor * weight * (colour[channel]! - mean[channel]!) ** 2,
      0,
    ),
  )
  const spread = Math.max(...spreads)
  return { paints, mean, channel: spreads.indexOf(spread), spread }
}

/** Replaces each pixel by the nearest colour of a palette. That gives flat areas with sharp edges, and small files. */
export function paintWith(palette: readonly (readonly number[])[], { data, width, height }: Pixels): Pixels {
  const painted = new Uint8Array(data.length)
  /** The index in the palette plus one, by six bits of each channel; 0 while unknown. */
  const nearest = new Uint8Array(1 << 18)
  for (let at = 0; at < data.length; at += 3) {
    const key = ((data[at]! >> 2) << 12) | ((data[at + 1]! >> 2) << 6) | (data[at + 2]! >> 2)
    const colour = palette[(nearest[key] ||= 1 + nearestIn(palette, data.subarray(at, at + 3))) - 1]!
    painted[at] = colour[0]!
    painted[at + 1] = colour[1]!
    painted[at + 2] = colour[2]!
  }
  return { data: painted, width, height, channels: 3 }
}

function nearestIn(palette: readonly (readonly number[])[], colour: Uint8Array): number {
  const distances = palette.map((paint) =>
    sensitivity.reduce((sum, factor, channel) => sum + factor * (paint[channel]! - colour[channel]!) ** 2, 0),
  )
  return distances.indexOf(Math.min(...distances))
}
