import type { ImaginedBase, Photo } from '../composition/drawing.ts'
import { grid } from '../edits/edits.ts'
import type { Camera, Scene } from './description.ts'
import { clamp, mix, unit } from '../places/numbers.ts'
import { pictureOf, placeWithin, type Patch, type Picture } from '../composition/picture.ts'
import { sceneOf } from '../places/scene.ts'

/** The four pictures of a prompt. */
export function imaginedPictures(base: ImaginedBase): readonly Picture[] {
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
