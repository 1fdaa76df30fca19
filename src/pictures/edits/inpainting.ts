import { rearrange } from './edits.ts'
import type { Camera, Scene } from '../words/description.ts'
import { mix, thousandth, unit } from '../places/numbers.ts'
import { pictureOf, type Edge, type Patch, type Picture } from '../composition/picture.ts'
import { rereadScene } from '../places/scene.ts'

interface Inpainting {
  prompt: string
  mask?: string
  seed: number
  index: number
}

/**
 * Repaints the masked area of a picture: the same world, with the subject, weather and time of the prompt. All other
 * pixels stay identical.
 */
export function inpainted(picture: Picture, { mask, ...how }: Inpainting): Picture {
  const { camera } = picture.world
  const scene = repaintedScene(picture, how)
  const size = thousandth(0.7 + 0.28 * unit(mix(how.seed, how.index, 601)))
  const patch = patchOf(scene, { mask, picture, place: camera, size })
  return { ...picture, patches: [...picture.patches, patch] }
}

function patchOf(
  scene: Scene,
  { mask, picture, place, size }: { mask: string | undefined; picture: Picture; place: Camera; size: number },
): Patch {
  if (mask === undefined) {
    return { of: pictureOf(scene, picture), place, edge: MIDDLE }
  }
  const { cast: _, ...land } = scene
  // The background of an emblem is part of its subject.
  const empty: Scene = scene.family === 'emblem' ? { ...scene, isElsewhere: true } : land
  const edge: Edge = {
    shape: 'mask',
    digest: mask,
    feather: 0.03,
    ...(scene.cast && { subject: { scene, size } }),
  }
  return { of: pictureOf(scene.cast ? empty : scene, picture), place, edge }
}

/** The area that is repainted without a mask. */
export const MIDDLE = { shape: 'oval', feather: 0.13, reach: 0.97 } as const satisfies Edge

/** The scene that replaces the masked area. */
function repaintedScene(
  picture: Picture,
  { prompt, seed, index }: { prompt: string; seed: number; index: number },
): Scene {
  const { world } = picture
  const { bare, ...read } = rereadScene(world, prompt, { keeps: true, place: world.bare ?? false })
  return rearrange(bare && prompt.trim() === '' ? { ...read, bare } : read, { index, seed })
}
