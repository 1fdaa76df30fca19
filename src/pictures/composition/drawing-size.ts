import type { Drawing, DrawingEdit, PanDirection } from './drawing.ts'
import { clamp } from '../places/numbers.ts'
import { frameSize } from './picture.ts'

/** In pixels. */
export interface DrawnSize {
  readonly width: number
  readonly height: number
}

/**
 * Computes the size of a drawing without rendering it. A grid is as large as a single picture, and each tile is half as
 * wide and high. No side is longer than 2048.
 */
export function sizeOf({ base, edits }: Drawing): DrawnSize {
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
