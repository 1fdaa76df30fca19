import { tileSize } from '../../pictures/composition/drawing-size.ts'
import { picturesOf } from '../../pictures/composition/pictures-of.ts'
import type { Picture } from '../../pictures/composition/picture.ts'
import { drawnPicture } from '../raster/drawn-picture.ts'
import type { SourceImages } from './source-images.ts'
import { lay, type Pixels } from '../raster/pixels.ts'
import type { Raster, Size } from '../raster/raster.ts'
import type { PictureSpec } from '../spec.ts'

/** Draws what a spec says and writes it as PNG. */
export async function pictureFile(
  spec: PictureSpec,
  { raster, ingredients }: { raster: Raster; ingredients: SourceImages },
): Promise<Uint8Array> {
  const pictures = picturesOf(spec.drawing)
  const shown = shownOf(pictures, spec.tile)
  const full = shown.length < pictures.length ? tileSize(pictures[0]!) : frameOf(pictures[0]!)
  const size = thumbnailSize(full, spec.maxSide)
  const { progress = 100 } = spec
  const drawn = progress < 100 ? coarseSize(size, progress) : size
  const pixels = await drawnTogether(shown, drawn, { raster, ingredients, fast: isSmall(drawn, shown) })
  return raster.png(progress < 100 ? await raster.enlarged(pixels, stepsOf(size), size) : pixels)
}

/** The one that is meant, or all that there are. */
function shownOf(pictures: readonly Picture[], tile: number | undefined): readonly Picture[] {
  if (tile === undefined || pictures.length === 1) return pictures
  return [pictures[tile - 1] ?? pictures[0]!]
}

function frameOf({ width, height }: Picture): Size {
  return { width, height }
}

function thumbnailSize(size: Size, maxSide: number | undefined): Size {
  if (maxSide === undefined) return size
  return scaled(size, Math.min(1, maxSide / Math.max(size.width, size.height)))
}

function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Small details are not seen in pictures with shorter sides than this. */
const SMALL = 200

function isSmall({ width, height }: Size, { length }: readonly Picture[]): boolean {
  return Math.max(width, height) / (length > 1 ? 2 : 1) < SMALL
}

async function drawnTogether(
  pictures: readonly Picture[],
  size: Size,
  how: { raster: Raster; ingredients: SourceImages; fast: boolean },
): Promise<Pixels> {
  const [only] = pictures
  if (pictures.length === 1) return drawnPicture(only!, size, how)
  const left = [0, Math.floor(size.width / 2)] as const
  const top = [0, Math.floor(size.height / 2)] as const
  const grid: Pixels = { ...size, data: new Uint8Array(size.width * size.height * 3), channels: 3 }
  await Promise.all(
    pictures.map(async (picture, index) => {
      const [x, y] = [left[index & 1]!, top[index >> 1]!]
      const tile = {
        width: Math.max(1, index & 1 ? size.width - x : left[1]),
        height: Math.max(1, index >> 1 ? size.height - y : top[1]),
      }
      lay(grid, await drawnPicture(picture, tile, how), { left: x, top: y })
    }),
  )
  return grid
}

/** How coarse an unfinished picture is: drawn this small, and enlarged. */
function coarseSize(size: Size, progress: number): Size {
  const share = Math.max(0, Math.min(99, progress)) / 100
  return scaled(size, 0.012 + 0.04 * share + 0.14 * share * share)
}

/** Enlarged softly, but in steps of some pixels: smooth slopes would make files of half a megabyte. */
function stepsOf(size: Size): Size {
  return scaled(size, 1 / STEP)
}

const STEP = 4
