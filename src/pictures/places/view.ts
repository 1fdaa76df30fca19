import { HORIZONS } from '../data/subject-tables.ts'
import { luminance } from './colour.ts'
import { mix, tenth } from './numbers.ts'
import type { Palette } from '../data/palette-table.ts'
import { paletteOf } from './palettes.ts'
import type { Camera, CameraMove, Genes, Hideable, Scene } from '../words/description.ts'

/**
 * The drawing context of a picture. The world is infinite: terrain, trees, towers, stars and rain are placed on lattices
 * by hash, so a wider camera shows more of the same world.
 */
export interface View {
  scene: Scene
  palette: Palette
  genes: Genes
  /** The moment of the clip, 0..1; 0 is the still. */
  time: number
  /** Whether to omit details for a draft. */
  fast: boolean
  /** The frame in world units, where its short side is 1000. Things are placed in parts of it. */
  width: number
  height: number
  /** What the camera sees, in world units. */
  left: number
  top: number
  right: number
  bottom: number
  /** Areas seen before, the latest first. */
  seen: readonly (Box & { seed: number })[]
  /** Where sky and ground meet. */
  horizon: number
  sun: Sun
  isNight: boolean
  /** A sun or moon is out. */
  isSunny: boolean
  /** Seeds of the large shapes and of what stands on them. */
  terrainSeed: number
  detailSeed: number
}

/** A part of the world, in its units. */
interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

interface Sun {
  x: number
  y: number
  radius: number
}

/** Subjects in whose picture the sky has no other sun or moon. */
const lights = /^(?:crescent-moon|full-moon|full-moon-face|sun|sun-with-face)$/

/** @param options.time 0..1 over the clip. */
export function createView(scene: Scene, { time, fast }: { time: number; fast: boolean }): View {
  const { genes, family, weather, seed, cast = [] } = scene
  const palette = paletteOf(scene)
  const { width, height } = worldFrame(scene)
  const horizon = Math.round(height * (HORIZONS[family] + (genes.horizon - 0.5) * 0.14))
  return {
    scene,
    palette,
    genes,
    time,
    fast,
    width,
    height,
    ...boxOf(moved(withinBounds(scene, width, height), scene.move, time), width, height),
    seen: (scene.seen ?? []).map((area) => ({ ...boxOf(area, width, height), seed: area.seed })).reverse(),
    horizon,
    sun: sunOf(scene, width, horizon),
    isNight: scene.time === 'night' || family === 'space' || luminance(palette.skyTop) < 0.17,
    isSunny:
      weather !== 'storm' &&
      weather !== 'rain' &&
      family !== 'space' &&
      !isHidden(scene, 'sun') &&
      !cast.some(({ icon = '' }) => lights.test(icon)),
    terrainSeed: mix(seed, Math.round(genes.terrain * 1000)),
    detailSeed: mix(seed, Math.round(genes.detail * 1000), 3),
  }
}

/** Whether an element must not be drawn. Bare land has neither sun nor birds. */
export function isHidden({ bare, hidden }: Scene, what: Hideable): boolean {
  if (bare && (what === 'sun' || what === 'birds')) return true
  return hidden?.includes(what) ?? false
}

/** Draws a layer at a depth: 0 stands still while the camera moves, 1 moves fastest. */
export function layer(view: View, depth: number, ...drawings: string[]): string {
  const shift = tenth(-drift(view, depth))
  const drawing = drawings.join('')
  return shift && drawing ? `<g transform="translate(${shift},0)">${drawing}</g>` : drawing
}

/** The visible range of a layer, with a margin for overhanging objects. */
export function span(view: View, depth: number): { left: number; right: number } {
  const shift = drift(view, depth)
  return { left: view.left + shift - 60, right: view.right + shift + 60 }
}

/** In small pictures, a pixel is several units wide, so shapes just outside the view still affect edge pixels. */
const MARGIN = 12

/**
 * Whether an object at x, y in a layer, with radius `reach`, is visible. Invisible objects cost as much to draw as visible
 * ones, so separate SVG elements are omitted. Parts of a visible path are not omitted, because that would change the
 * rounding of its edges.
 */
export function isInSight(
  view: View,
  depth: number,
  { x, y, reach }: { x: number; y: number; reach: number },
): boolean {
  const seenX = x - drift(view, depth)
  const margin = reach + MARGIN
  return (
    seenX > view.left - margin &&
    seenX < view.right + margin &&
    y > view.top - margin &&
    y < view.bottom + margin
  )
}

/**
 * The number to add to the seed of an object in a box. It is 0 if any part of the object was visible before, so that it
 * looks the same. Other objects may differ between pictures.
 */
export function saltOf({ seen }: View, { left, top, right, bottom }: Box): number {
  for (const area of seen) {
    const wasSeen = left < area.right && right > area.left && top < area.bottom && bottom > area.top
    if (!wasSeen) return area.seed
  }
  return 0
}

/** The default overhang of an object beyond its cell, on each side. */
const REACH = 60

/**
 * The visible cells along a layer, each `step` wide. Cell 0 begins at x = 0.
 * @param row.reach how far an object may extend beyond its cell on either side.
 * @param row.top the upper limit of everything in the row; `bottom` is the lower limit.
 */
export function cells(
  view: View,
  row: { depth: number; step: number; reach?: number; top?: number; bottom?: number },
): RowCell[] {
  const { depth, step, reach = REACH, top = -Infinity, bottom = Infinity } = row
  const { left, right } = span(view, depth)
  const first = Math.floor(left / step) - 1
  const last = Math.ceil(right / step) + 1
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const x = (first + i) * step
    return {
      index: first + i,
      x,
      salt: saltOf(view, { left: x - reach, top, right: x + step + reach, bottom }),
    }
  })
}

export interface RowCell {
  index: number
  x: number
  /** Part of the seed of everything in this cell; see `saltOf`. */
  salt: number
}

/** The visible cells of a grid between two heights. */
export function lattice(
  view: View,
  grid: { depth: number; width: number; height: number; top?: number; bottom?: number; reach?: number },
): GridCell[] {
  const { depth, width, height, top = -Infinity, bottom = Infinity, reach = REACH } = grid
  const first = Math.floor(Math.max(top, view.top - height) / height)
  const last = Math.ceil(Math.min(bottom, view.bottom + height) / height)
  const columns = cells(view, { depth, step: width })
  const gridCells: GridCell[] = []
  for (let row = first; row < last; row++) {
    const y = row * height
    for (const { index, x } of columns) {
      const salt = saltOf(view, {
        left: x - reach,
        top: y - reach,
        right: x + width + reach,
        bottom: y + height + reach,
      })
      gridCells.push({ column: index, row, x, y, salt })
    }
  }
  return gridCells
}

export interface GridCell {
  column: number
  row: number
  x: number
  y: number
  /** See `Cell.salt`. */
  salt: number
}

const DRIFT_OF_A_CLIP = 240

function drift(view: View, depth: number): number {
  if (view.scene.move) return 0
  return DRIFT_OF_A_CLIP * view.time * depth
}

const SHORT_SIDE = 1000
/** Longer frames are drawn thinner, so that no frame costs more than four squares. */
const LONGEST_SIDE = 4000

/** The frame of a scene in world units. */
export function worldFrame({ width, height }: { width: number; height: number }): {
  width: number
  height: number
} {
  const scale = Math.min(SHORT_SIDE / Math.min(width, height), LONGEST_SIDE / Math.max(width, height))
  return { width: width * scale, height: height * scale }
}

/** The maximum visible area of the camera, which limits the work: about 6 × 6 frames. */
const LARGEST_AREA = 40e6

function withinBounds({ camera }: Scene, width: number, height: number): Camera {
  const area = camera.width * camera.height * width * height
  const scale = Math.min(1, Math.sqrt(LARGEST_AREA / area))
  return {
    ...camera,
    width: Math.max(0.05, camera.width * scale),
    height: Math.max(0.05, camera.height * scale),
  }
}

function boxOf(camera: Camera, width: number, height: number): Box {
  const left = width / 2 + camera.x * width - (width * camera.width) / 2
  const top = height / 2 + camera.y * height - (height * camera.height) / 2
  return { left, top, right: left + width * camera.width, bottom: top + height * camera.height }
}

/** The camera at a moment, if the prompt describes a camera move. */
function moved(camera: Camera, move: CameraMove | undefined, time: number): Camera {
  const { x, y, width, height } = camera
  const way = 0.4 * time
  switch (move) {
    case 'in':
    case 'out': {
      const scale = move === 'in' ? 1 / (1 + way) : 1 + way
      // Subjects are in the lower half.
      return { x, y: y + 0.3 * (1 - Math.min(1, scale)), width: width * scale, height: height * scale }
    }
    case 'left':
    case 'right':
      return { ...camera, x: x + width * (move === 'left' ? -way : way) }
    case 'up':
    case 'down':
      return { ...camera, y: y + height * (move === 'up' ? -way : way) }
    default:
      return camera
  }
}

function sunOf({ family, time, genes }: Scene, width: number, horizon: number): Sun {
  const x = width * (0.22 + genes.sunX * 0.56)
  const radius = 72 + genes.size * 50
  const onTheHorizon = family === 'sea' && (time === 'dusk' || time === 'dawn')
  if (onTheHorizon) return { x, y: horizon - 30, radius: radius * 1.35 }
  return { x, y: horizon * (0.3 + genes.sunY * 0.32), radius }
}

/** The middle of the subject in a landscape. */
export function subjectX({ width, genes }: View): number {
  return width * (0.36 + genes.subjectX * 0.28)
}

/** The short side. Sizes that must fit into any frame are fractions of it. */
export function shortSide({ width, height }: View): number {
  return Math.min(width, height)
}
