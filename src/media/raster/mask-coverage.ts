import { eased } from './edge-coverage.ts'
import type { Coverage } from './pixels.ts'
import type { Raster } from './raster.ts'

/** What a mask covers, in the size of a frame. */
export interface MaskedArea {
  coverage: Coverage
  /** The smallest box around it, in pixels; nothing when it covers nothing. */
  box?: { left: number; top: number; width: number; height: number }
}

/**
 * Scales a mask to a frame. What is light in it is covered; the feather runs inwards, so that nothing outside is
 * touched.
 * @param mask the kept mask.
 * @param feather in parts of the short side.
 */
export async function maskedArea(
  raster: Raster,
  mask: Uint8Array,
  { width, height, feather }: { width: number; height: number; feather: number },
): Promise<MaskedArea> {
  const grey = await raster.grey(mask, { width, height })
  const depths = depthsOf(grey, width, height)
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0)
  // A thin stroke has no room for a wide feather.
  const soft = Math.max(1, Math.min(feather * Math.min(width, height), deepest * 0.7))
  const coverage = Uint8Array.from(depths, (depth) => (depth === 0 ? 0 : 255 * eased(depth / soft) + 0.5))
  const box = boxAround(depths, width, height)
  return box ? { coverage, box } : { coverage }
}

/** How far each covered pixel is from the nearest that is not, about: once from above, once from below. */
function depthsOf(grey: Uint8Array, width: number, height: number): Float32Array {
  const depths = new Float32Array(width * height)
  // The edge of the frame is no edge of the mask.
  const beyond = width + height
  const depth = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? beyond : depths[y * width + x]!
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const index = y * width + x
      if (grey[index]! < 128) continue
      const straight = Math.min(depth(x - 1, y), depth(x, y - 1)) + 1
      const askew = Math.min(depth(x - 1, y - 1), depth(x + 1, y - 1)) + Math.SQRT2
      depths[index] = Math.min(straight, askew)
    }
  }
  for (let y = height - 1; y >= 0; y -= 1) {
    for (let x = width - 1; x >= 0; x -= 1) {
      const index = y * width + x
      if (depths[index] === 0) continue
      const straight = Math.min(depth(x + 1, y), depth(x, y + 1)) + 1
      const askew = Math.min(depth(x + 1, y + 1), depth(x - 1, y + 1)) + Math.SQRT2
      depths[index] = Math.min(depths[index]!, straight, askew)
    }
  }
  return depths
}

function boxAround(depths: Float32Array, width: number, height: number): MaskedArea['box'] {
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (depths[y * width + x] === 0) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 }
}
