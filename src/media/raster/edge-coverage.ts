import type { Edge, Side } from '../../pictures/composition/picture.ts'
import type { Coverage } from './pixels.ts'

interface Area {
  width: number
  height: number
  /** The sides that lie within the picture; others have no edge to be seen. */
  inside: readonly Side[]
}

/** How much of each pixel of a patch is shown, by its edge; nothing when all of it is. */
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

/** From 0 at a soft end to 1. */
function ramp(length: number, soft: number, first: boolean, last: boolean): Float64Array {
  return Float64Array.from({ length }, (_, i) => {
    const start = first ? eased((i + 0.5) / soft) : 1
    const end = last ? eased((length - i - 0.5) / soft) : 1
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
      const start = sides.includes('left') ? eased((x + 0.5 - shift) / soft) : 1
      const end = sides.includes('right') ? eased((width - leaning + shift - x - 0.5) / soft) : 1
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
      if (fromRim > 0) coverage[y * width + x] = 255 * eased(fromRim / feather) + 0.5
    }
  }
  return coverage
}

/** 0 below 0, 1 above 1, and a soft slope between. */
export function eased(share: number): number {
  const t = Math.max(0, Math.min(1, share))
  return t * t * (3 - 2 * t)
}
