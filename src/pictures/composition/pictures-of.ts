import type { Drawing, DrawingBase, DrawingEdit } from './drawing.ts'
import { enlargedSize } from './drawing-size.ts'
import { blendedPictures } from '../edits/blended-pictures.ts'
import { editedPictures } from '../edits/edited-pictures.ts'
import { imaginedPictures } from '../words/imagined.ts'
import { inpainted } from '../edits/inpainting.ts'
import type { Picture } from './picture.ts'
import { photoPicture, swappedPicture } from '../edits/photo-pictures.ts'
import { panned, zoomedOut } from '../places/surroundings.ts'
import { enlarged, varied } from '../edits/variations.ts'

/** The content of a drawing: the four pictures of a grid, or a single one. Every chain of edits gives one or the other. */
export function picturesOf({ base, edits }: Drawing): readonly Picture[] {
  return edits.reduce(edited, basePictures(base))
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
    case 'enlarge':
      return [{ ...(edit.creative ? enlarged(picture, edit.seed) : picture), ...enlargedSize(picture) }]
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

/** The requested tile of a grid, or the first one. */
function chosen(pictures: readonly Picture[], tile = 1): Picture {
  return pictures[tile - 1] ?? pictures[0]!
}
