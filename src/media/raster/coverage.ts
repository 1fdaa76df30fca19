import type { Edge, Side } from '../../pictures/composition/picture.ts'
import type { Coverage } from './pixels.ts'
import type { Raster } from './raster.ts'

interface Area {
  width: number
  height: number
  /** The sides within the picture. The other sides are not visible. */
  inside: readonly Side[]
}

/** The opacity of each pixel of a patch, by its kind of edge; undefined if all are opaque. */
export function edgeCoverage(edge: Exclude<Edge, { shape: 'mask' }>, area: Area): Coverage | undefined {
  switch (edge.shape) {
    case 'rectangle': {
      const sides = softSides(edge.sides, area)
      return sides.size === 0 || edge.feather === 0 ? undefined : rectangleCoverage(edge.feather, sides, area)
    }
    case 'slanted':
      return slantedCoverage(edge, area)
    case 'oval':
      return ovalCoverage(edge, area)
  }
}

function softSides(named: readonly Side[] | undefined, { inside }: Area): ReadonlySet<Side> {
  return new Set(named ? inside.concat(named).filter((side) => named.includes(side)) : inside)
}

function rectangleCoverage(feather: number, sides: ReadonlySet<Side>, { width, height }: Area): Coverage {
  const soft = Math.max(1, feather * Math.min(width, height))
  const across = ramp(width, soft, sides.has('left'), sides.has('right'))
  const down = ramp(height, soft, sides.has('top'), sides.has('bottom'))
  const coverage = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const row = down[y]!
    for (let x = 0; x < width; x += 1) coverage[y * width + x] = 255 * row * across[x]! + 0.5
  }
  return coverage
}

/** A ramp from 0 at a soft end to 1. */
function ramp(length: number, soft: number, first: boolean, last: boolean): Float64Array {
  return Float64Array.from({ length }, (_, i) => {
    const start = first ? ease((i + 0.5) / soft) : 1
    const end = last ? ease((length - i - 0.5) / soft) : 1
    return start * end
  })
}

function slantedCoverage(edge: Extract<Edge, { shape: 'slanted' }>, { width, height }: Area): Coverage {
  const { lean, feather, sides = ['left', 'right'] } = edge
  const soft = Math.max(1, feather * Math.min(width, height))
  const coverage = new Uint8Array(width * height)
  const leaning = lean * width
  for (let y = 0; y < height; y += 1) {
    const shift = leaning * (1 - (y + 0.5) / height)
    for (let x = 0; x < width; x += 1) {
      const start = sides.includes('left') ? ease((x + 0.5 - shift) / soft) : 1
      const end = sides.includes('right') ? ease((width - leaning + shift - x - 0.5) / soft) : 1
      coverage[y * width + x] = 255 * start * end + 0.5
    }
  }
  return coverage
}

function ovalCoverage(
  { feather, reach = 1 }: Extract<Edge, { shape: 'oval' }>,
  { width, height }: Area,
): Coverage {
  const coverage = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    const down = ((y + 0.5) / height) * 2 - 1
    for (let x = 0; x < width; x += 1) {
      const across = ((x + 0.5) / width) * 2 - 1
      const fromRim = 1 - Math.sqrt(across * across + down * down) / reach
      if (fromRim > 0) coverage[y * width + x] = 255 * ease(fromRim / feather) + 0.5
    }
  }
  return coverage
}

/** A smooth step: 0 below 0, 1 above 1, and a soft slope between. */
function ease(share: number): number {
  const t = Math.max(0, Math.min(1, share))
  return t * t * (3 - 2 * t)
}

/** The area that a mask covers, in the size of a frame. */
interface MaskedArea {
  coverage: Coverage
  /** The smallest box around it, in pixels; missing if it covers nothing. */
  box?: { left: number; top: number; width: number; height: number }
}

/**
 * Scales a mask to a frame. Light pixels are covered. The feather runs inwards, so that nothing outside changes.
 * @param mask a file from the raster.
 * @param feather the width of the soft edge, as a share of the short side.
 */
export async function coverMask(
  raster: Raster,
  mask: Uint8Array,
  { width, height, feather }: { width: number; height: number; feather: number },
): Promise<MaskedArea> {
  const grey = await raster.toGrey(mask, { width, height })
  const depths = depthsOf(grey, width, height)
  const deepest = depths.reduce((most, depth) => Math.max(most, depth), 0)
  // A thin stroke has no space for a wide feather.
  const soft = Math.max(1, Math.min(feather * Math.min(width, height), deepest * 0.7))
  const coverage = Uint8Array.from(depths, (depth) => (depth === 0 ? 0 : 255 * ease(depth / soft) + 0.5))
  const box = boxAround(depths, width, height)
  return box ? { coverage, box } : { coverage }
}

/**
 * The approximate distance of each covered pixel from the nearest uncovered one. One pass runs from above, one from below.
 */
function depthsOf(grey: Uint8Array, width: number, height: number): Float32Array {
  const depths = new Float32Array(width * height)
  // The edge of the frame is not an edge of the mask.
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
