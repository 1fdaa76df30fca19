/** Width and height in pixels. */
export interface Frame {
  readonly width: number
  readonly height: number
}

/** About as many pixels as a square of 1024 has. */
const area = 1024 * 1024
const maxSide = 2048

/** The widest and the tallest shape that is drawn. */
export const extremeRatio = 14

/**
 * The frame of a shape: always about as large, its sides multiples of 8.
 * @param ratio width by height.
 */
export function frameOf(ratio: number): Frame {
  const width = Math.min(maxSide, Math.sqrt(area * ratio), maxSide * ratio)
  return { width: toEights(width), height: toEights(width / ratio) }
}

function toEights(pixels: number): number {
  return Math.max(64, Math.round(pixels / 8) * 8)
}
