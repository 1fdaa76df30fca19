import type { Colour } from '../places/colour.ts'
import { clamp } from '../places/numbers.ts'

/**
 * A picture of the drawing API as plain JSON: its origin, and all edits since. Nothing else is stored, because the same
 * drawing gives the same bytes on every machine.
 */
export interface Drawing {
  readonly base: DrawingBase
  /** All edits, in the order of the requests. */
  readonly edits: readonly DrawingEdit[]
}

/** The origin of a picture. */
export type DrawingBase = ImaginedBase | BlendedBase | EditedBase | PhotoBase

interface Framed {
  /** The width of the frame in pixels, before any edit. */
  readonly width: number
  readonly height: number
}

/** A prompt, drawn as a grid of four. */
export interface ImaginedBase extends Framed {
  readonly kind: 'imagine'
  /** The prompt without flags and URLs. */
  readonly prompt: string
  /** The model version, such as `7` or `niji 6`. */
  readonly model: string
  /** An unsigned 32-bit number. */
  readonly seed: number
  /** How much the four tiles differ: 0 is the default, 100 the maximum. */
  readonly chaos?: number
  /** Objects to leave out. */
  readonly without?: readonly string[]
  /** Whether the picture tiles seamlessly. */
  readonly tile?: boolean
  /** The image prompts, and their weight: 0 to 3. */
  readonly images?: readonly Photo[]
  readonly imageWeight?: number
}

/** A blend of two to five pictures, drawn as a grid of four. */
export interface BlendedBase extends Framed {
  readonly kind: 'blend'
  readonly images: readonly Photo[]
  readonly seed: number
}

/** A picture with the changes of a prompt, as a grid of four. */
export interface EditedBase extends Framed {
  readonly kind: 'edit'
  readonly image: Photo
  readonly prompt: string
  readonly seed: number
}

/** A received picture. */
export interface PhotoBase extends Framed {
  readonly kind: 'photo'
  readonly image: Photo
}

/** An image that a client uploaded, or referenced by URL. */
export interface Photo {
  /** The digest of the uploaded bytes. Without one, a placeholder is drawn from the URL. */
  readonly digest?: string
  readonly url?: string
  /** Its drawing, if the simulator drew it. */
  readonly drawing?: Drawing
  readonly width: number
  readonly height: number
  /** Its dominant colours, the most frequent first. */
  readonly colours: readonly Colour[]
}

/** The source images of a drawing. */
export function photosOf(base: DrawingBase): readonly Photo[] {
  switch (base.kind) {
    case 'imagine':
    case 'blend':
      return base.images ?? []
    default:
      return [base.image]
  }
}

export type PanDirection = 'left' | 'right' | 'up' | 'down'

/**
 * One edit of a picture. Edits with a `tile` apply to one of the four tiles of a grid, from 1; the others to a single
 * picture. Each edit except an upscale produces a grid. Each `seed` is an unsigned 32-bit number: the same edit with
 * another seed produces other pictures.
 */
export type DrawingEdit =
  /** Extracts and enlarges the tile. */
  | { readonly do: 'upscale'; readonly tile: number }
  /** Doubles width and height; `creative` changes details. */
  | { readonly do: 'enlarge'; readonly creative: boolean; readonly seed: number }
  | {
      readonly do: 'vary'
      /** The tile of a grid; missing for a single picture. */
      readonly tile?: number
      readonly strong: boolean
      readonly seed: number
      /** The new prompt, if the client changed it. */
      readonly prompt?: string
    }
  | {
      readonly do: 'zoom'
      /** The factor of the visible area in each direction: 1 to 2. */
      readonly factor: number
      /** The new aspect ratio, width by height. The frame contains the whole picture. */
      readonly ratio?: number
      readonly seed: number
      readonly prompt?: string
    }
  | { readonly do: 'pan'; readonly towards: PanDirection; readonly seed: number; readonly prompt?: string }
  | {
      readonly do: 'inpaint'
      readonly prompt: string
      /** The digest of the mask. Without one, the middle is repainted. */
      readonly mask?: string
      readonly seed: number
    }

/** In pixels. */
interface DrawnSize {
  readonly width: number
  readonly height: number
}

/**
 * Computes the size of a drawing without rendering it. A grid is as large as a single picture, and each tile is half as
 * wide and high. No side is longer than 2048.
 */
export function drawnSizeOf({ base, edits }: Drawing): DrawnSize {
  return edits.reduce(sizeAfter, frameSize(base))
}

/** The size of one of the four tiles of a grid. */
export function tileSize({ width, height }: DrawnSize): DrawnSize {
  return { width: width / 2, height: height / 2 }
}

function sizeAfter(size: DrawnSize, edit: DrawingEdit): DrawnSize {
  if (edit.do === 'enlarge') return enlargedSize(size)
  if (edit.do === 'zoom') return zoomedSize(size, edit.ratio)
  return edit.do === 'pan' ? (pannedSize(size, edit.towards) ?? size) : size
}

/** The doubled width and height. */
export function enlargedSize({ width, height }: DrawnSize): DrawnSize {
  return frameSize({ width: width * 2, height: height * 2 })
}

/** The widest aspect ratio; the narrowest is its inverse. */
const WIDEST = 3

/** Clamps an aspect ratio, width by height, to 1:3 … 3:1. */
export function drawnRatio(ratio: number): number {
  return clamp(ratio, 1 / WIDEST, WIDEST)
}

/** The size with the same number of pixels and another aspect ratio, if one is given. */
export function zoomedSize({ width, height }: DrawnSize, ratio: number | undefined): DrawnSize {
  if (ratio === undefined) return frameSize({ width, height })
  const pixels = width * height
  const target = drawnRatio(ratio)
  return frameSize({ width: Math.sqrt(pixels * target), height: Math.sqrt(pixels / target) })
}

/** The size extended by half towards one side; undefined if its aspect ratio would exceed 3:1. */
export function pannedSize({ width, height }: DrawnSize, towards: PanDirection): DrawnSize | undefined {
  const isSideways = towards === 'left' || towards === 'right'
  const grown = { width: width * (isSideways ? 1.5 : 1), height: height * (isSideways ? 1 : 1.5) }
  const grows = Math.max(grown.width / grown.height, grown.height / grown.width) <= WIDEST * 1.01
  return grows ? frameSize(grown) : undefined
}

/** Maximum width and height of a frame, in pixels. */
const LONGEST_SIDE = 2048
const SHORTEST_SIDE = 16

/** Rounds a size to the nearest valid frame: within the maximum, and even, so that its half is whole pixels. */
export function frameSize({ width, height }: DrawnSize): DrawnSize {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  const even = (side: number) => Math.max(SHORTEST_SIDE, 2 * Math.round((side * scale) / 2))
  return { width: even(width), height: even(height) }
}
