import { distance, type Colour } from '../../pictures/places/colour.ts'
import type { Raster } from './raster.ts'

/**
 * The three to five colours that a picture has most of, the most frequent first; fewer if it has no more.
 * @param picture a file that the raster made.
 */
export async function dominantColours(raster: Raster, picture: Uint8Array): Promise<Colour[]> {
  const { data } = await raster.stretched(picture, { width: SIDE, height: SIDE })
  const found = bucketsOf(data)
  const chosen: Colour[] = []
  for (const { colour, share } of found) {
    if (chosen.length === MOST || (share < SMALLEST_SHARE && chosen.length >= FEWEST)) break
    if (chosen.every((other) => distance(colour, other) > CLOSE)) chosen.push(colour)
  }
  return chosen
}

const SIDE = 48
const MOST = 5
const FEWEST = 3
/** Below it a colour is an accident, unless there are few. */
const SMALLEST_SHARE = 0.02
/** Two colours this near count as one. */
const CLOSE = 9 * 30 * 30

/** The mean colours of all pixels that agree in the highest bits, the most frequent first. */
function bucketsOf(rgb: Uint8Array): { colour: Colour; share: number }[] {
  const buckets = new Map<number, { count: number; sums: [number, number, number] }>()
  for (let i = 0; i < rgb.length; i += 3) {
    const [red, green, blue] = [rgb[i]!, rgb[i + 1]!, rgb[i + 2]!]
    const key = ((red >> 5) << 6) | ((green >> 5) << 3) | (blue >> 5)
    const bucket = buckets.get(key) ?? { count: 0, sums: [0, 0, 0] }
    bucket.count += 1
    bucket.sums[0] += red
    bucket.sums[1] += green
    bucket.sums[2] += blue
    buckets.set(key, bucket)
  }
  return [...buckets]
    .toSorted(([keyA, a], [keyB, b]) => b.count - a.count || keyA - keyB)
    .map(([, { count, sums }]) => {
      const mean = sums.map((sum) =>
        Math.round(sum / count)
          .toString(16)
          .padStart(2, '0'),
      )
      return { colour: `#${mean.join('')}` as Colour, share: (3 * count) / rgb.length }
    })
}
