import type { Drawing, DrawingBase, DrawingEdit } from './drawing.ts'
import { blendedPictures } from './blended-pictures.ts'
import { editedPictures } from './edited-pictures.ts'
import { imaginedPictures } from './imagined.ts'
import { inpainted } from './inpainting.ts'
import { frameSize, type Picture } from './picture.ts'
import { photoPicture, swappedPicture } from './photo-pictures.ts'
import { panned, zoomedOut } from './surroundings.ts'
import { enlarged, varied } from './variations.ts'

/** What a drawing shows: the four pictures of a grid, or a single one. Any chain of edits gives one or the other. */
export function picturesOf({ base, edits }: Drawing): readonly Picture[] {
  return edits.reduce(edited, basePictures(base))
}

/**
 * How large a drawing is, in pixels: a grid is as large as a single picture, and each of its tiles half as wide and
 * high. No side is longer than 2048.
 * @param tile which of a grid's four, from 1; a single picture has no tiles.
 */
export function sizeOf(drawing: Drawing, tile?: number): { width: number; height: number } {
  const pictures = picturesOf(drawing)
  const { width, height } = pictures[0]!
  return pictures.length > 1 && tile !== undefined ? tileSize({ width, height }) : { width, height }
}

/** The size of one of a grid's four. */
export function tileSize({ width, height }: { width: number; height: number }): {
  width: number
  height: number
} {
  return { width: width / 2, height: height / 2 }
}

function basePictures(base: DrawingBase): readonly Picture[] {
  switch (base.kind) {
    case 'imagine':
      return imaginedPictures(base)
    case 'blend':
      return blendedPictures(base)
    case 'edit':
      return editedPictures(base)
    case 'swap':
      return [swappedPicture(base)]
    case 'photo':
      return [photoPicture(base)]
  }
}

const FOUR = [0, 1, 2, 3]

function edited(pictures: readonly Picture[], edit: DrawingEdit): readonly Picture[] {
  const picture = chosen(pictures, 'tile' in edit ? edit.tile : undefined)
  switch (edit.do) {
    case 'upscale':
      return [picture]
    case 'enlarge': {
      const size = frameSize({ width: picture.width * 2, height: picture.height * 2 })
      return [{ ...(edit.creative ? enlarged(picture, edit.seed) : picture), ...size }]
    }
    case 'vary':
      return FOUR.map((index) => varied(picture, { ...edit, index }))
    case 'zoom':
      return FOUR.map((index) => zoomedOut(picture, { ...edit, index }))
    case 'pan':
      return FOUR.map((index) => panned(picture, { ...edit, index }))
    case 'inpaint':
      return FOUR.map((index) => inpainted(picture, { ...edit, index }))
  }
}

/** Of a grid the tile that is meant, or the first. */
function chosen(pictures: readonly Picture[], tile = 1): Picture {
  return pictures[tile - 1] ?? pictures[0]!
}
