import { yuv420 } from './yuv.ts'
import type { Mosaic } from './picture.ts'

/**
 * Makes a mosaic of a small picture with one pixel for each of its finest tiles.
 * @param options.rgb 4 * columns wide and 4 * rows high, three bytes a pixel.
 */
export function mosaicFromRgb(options: { rgb: Uint8Array; columns: number; rows: number }): Mosaic {
  const { rgb, columns, rows } = options
  const tiles = 16 * columns * rows
  const yuv = yuv420({ data: rgb, width: 4 * columns, height: 4 * rows, channels: 3 })
  return {
    columns,
    rows,
    brightness: yuv.subarray(0, tiles),
    blue: yuv.subarray(tiles, tiles * 1.25),
    red: yuv.subarray(tiles * 1.25),
  }
}
