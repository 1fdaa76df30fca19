import type { Scene } from '../words/description.ts'
import type { EditedBase } from '../composition/drawing.ts'
import { mix, unit } from '../places/numbers.ts'
import { ovalIn, uponLand, wholePhoto, type Frame } from './photo-scene.ts'
import {
  pictureOf,
  placeWithin,
  WHOLE_FRAME,
  type Patch,
  type PhotoView,
  type Picture,
} from '../composition/picture.ts'
import { sceneOf } from '../places/scene.ts'

/** The photo with the additions of a prompt: a subject, weather, a time of day, or a place. */
export function editedPictures({ image, prompt, seed, width, height }: EditedBase): readonly Picture[] {
  return [0, 1, 2, 3].map((index) => {
    const scene = sceneOf({ prompt, seed: String(mix(seed, index)), width, height })
    const view = atTime(scene, index)
    const patches = [wholePhoto(image, view), ...drawnInto(scene, { width, height }, { seed, index })]
    return uponLand([image], { width, height }, patches)
  })
}

/** The light of a photo at the time that a prompt names. Without one, the four pictures differ slightly. */
function atTime({ time, tint }: Scene, index: number): Partial<PhotoView> {
  const light = 1 + [0, 0.04, -0.04, 0.07][index]!
  const hue = tint ? [0, 8, -8, 14][index]! : 0
  switch (time) {
    case 'night':
      return { light: light * 0.45, saturation: 0.7, hue: hue - 4 }
    case 'dusk':
      return { light: light * 0.82, saturation: 1.25, hue: hue - 10 }
    case 'dawn':
      return { light: light * 1.05, saturation: 0.85, hue: hue + 6 }
    default:
      return { light, ...(hue !== 0 && { hue }) }
  }
}

const SPOTS = [
  [0.68, 0.62],
  [0.32, 0.62],
  [0.5, 0.6],
  [0.62, 0.48],
] as const

function drawnInto(scene: Scene, frame: Frame, { seed, index }: { seed: number; index: number }): Patch[] {
  const [x, y] = SPOTS[index % SPOTS.length] ?? SPOTS[0]
  const size = 0.5 + 0.12 * unit(mix(seed, index, 507))
  const patches: Patch[] = []
  if (scene.cast) {
    patches.push({
      of: { kind: 'overlay', scene, shows: 'subject' },
      place: placeWithin(WHOLE_FRAME, ovalIn(frame, { x, y, height: size, shape: 1 })),
      edge: { shape: 'rectangle', feather: 0, sides: [] },
    })
  } else if (!scene.weather && !scene.time) {
    patches.push({
      of: pictureOf({ ...scene, width: 1200, height: 1000 }),
      place: placeWithin(WHOLE_FRAME, ovalIn(frame, { x, y, height: size * 1.2, shape: 1.2 })),
      edge: { shape: 'oval', feather: 0.4 },
    })
  }
  if (scene.weather) {
    patches.push({
      of: { kind: 'overlay', scene, shows: 'weather' },
      place: WHOLE_FRAME,
      edge: { shape: 'rectangle', feather: 0, sides: [] },
    })
  }
  return patches
}
