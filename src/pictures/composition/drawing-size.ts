import type { Drawing, DrawingEdit, PanDirection } from './drawing.ts'
import { clamp } from '../places/numbers.ts'
import { frameSize } from './picture.ts'

/** In pixels. */
export interface DrawnSize {
  readonly width: number
  readonly height: number
}

/**
 * How large a drawing is, told without drawing it: a grid is as large as a single picture, and each of its tiles half as
 * wide and high. No side is longer than 2048.
 */
export function sizeOf({ base, edits }: Drawing): DrawnSize {
  return edits.reduce(sizeAfter, frameSize(base))
}

/** The size of one of a grid's four. */
export function tileSize({ width, height }: DrawnSize): DrawnSize {
  return { width: width / 2, height: height / 2 }
}

function sizeAfter(size: DrawnSize, edit: DrawingEdit): DrawnSize {
  if (edit.do === 'enlarge') return enlargedSize(size)
  if (edit.do === 'zoom') return zoomedSize(size, edit.ratio)
  return edit.do === 'pan' ? (pannedSize(size, edit.towards) ?? size) : size
}

/** Twice as wide and high. */
export function enlargedSize({ width, height }: DrawnSize): DrawnSize {
  return frameSize({ width: width * 2, height: height * 2 })
}

/** From 1:3 to 3:1. */
const WIDEST = 3

/** The shape of a frame, width by height, as far as frames go: from 1:3 to 3:1. */
export function drawnRatio(ratio: number): number {
  return clamp(ratio, 1 / WIDEST, WIDEST)
}

/** The same number of pixels in another shape, if one is asked for. */
export function zoomedSize({ width, height }: DrawnSize, ratio: number | undefined): DrawnSize {
  if (ratio === undefined) return frameSize({ width, height })
  const pixels = width * height
  const wanted = drawnRatio(ratio)
  return frameSize({ width: Math.sqrt(pixels * wanted), height: Math.sqrt(pixels / wanted) })
}

/** Half as large again towards a side; nothing once it would be longer than 3:1. */
export function pannedSize({ width, height }: DrawnSize, towards: PanDirection): DrawnSize | undefined {
  const isSideways = towards === 'left' || towards === 'right'
  const grown = { width: width * (isSideways ? 1.5 : 1), height: height * (isSideways ? 1 : 1.5) }
  const grows = Math.max(grown.width / grown.height, grown.height / grown.width) <= WIDEST * 1.01
  return grows ? frameSize(grown) : undefined
}
