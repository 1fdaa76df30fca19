import {
  type Drawing,
  type DrawingBase,
  type DrawingEdit,
  type ImaginedBase,
  type Photo,
  enlargedSize,
} from './drawing.ts'
import { blendedPictures } from '../edits/blended-pictures.ts'
import { editedPictures } from '../edits/edited-pictures.ts'
import { inpainted, grid } from '../edits/edits.ts'
import { type Picture, pictureOf, placeWithin, type Patch } from './picture.ts'
import { photoPicture } from '../edits/photo-scene.ts'
import { panned, zoomedOut } from '../places/surroundings.ts'
import { enlarged, varied } from '../edits/variations.ts'
import type { Camera, Scene } from '../words/description.ts'
import { clamp, mix, unit } from '../places/numbers.ts'
import { sceneOf } from '../places/scene.ts'

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

/** The four pictures of a prompt. */
function imaginedPictures(base: ImaginedBase): readonly Picture[] {
  const { prompt, model, seed, width, height, without = [] } = base
  const chaos = clamp(base.chaos ?? 0, 0, 100)
  const scene = sceneOf({ prompt, model, seed: String(seed), width, height, without, chaos })
  return grid(scene, chaos).map((sibling, index) => {
    const picture = base.tile ? repeatable(sibling) : pictureOf(sibling)
    return { ...picture, patches: imagePatches(base, index, sibling.camera) }
  })
}

/** Makes a picture seamless: a subject becomes a wallpaper, a landscape is mirrored as in still water. */
function repeatable(scene: Scene): Picture {
  if (scene.cast) return pictureOf({ ...scene, family: 'wallpaper' })
  return { ...pictureOf(scene), mirrored: true }
}

/** The centre of an image prompt in each of the four pictures, as fractions of the frame. */
const PLACES = [
  [0.24, 0.24],
  [0.76, 0.24],
  [0.5, 0.2],
  [0.2, 0.36],
] as const
const MAX_IMAGES = 8

/** Draws image prompts as soft ovals, larger with more weight. */
function imagePatches(
  { images = [], imageWeight = 1, seed }: ImaginedBase,
  index: number,
  camera: Camera,
): Patch[] {
  const weight = clamp(imageWeight, 0, 3)
  if (weight === 0) return []
  const photos = images.slice(0, MAX_IMAGES)
  const radius = (0.15 + 0.04 * weight) / Math.sqrt(Math.min(photos.length, 4))
  return photos.map((photo: Photo, i) => {
    const [middleX, middleY] = PLACES[(index + i) % PLACES.length] ?? PLACES[0]
    // From the fifth on, they would cover one another.
    const nudge = i < PLACES.length ? 0 : 0.2 * unit(mix(seed, 301), i) + 0.1
    const x = clamp(middleX, radius, 1 - radius)
    const y = clamp(middleY + nudge, radius, 1 - radius)
    return {
      of: { kind: 'photo', photo },
      place: placeWithin(camera, [x - radius, y - radius, x + radius, y + radius]),
      edge: { shape: 'oval', feather: 0.3 },
    }
  })
}
