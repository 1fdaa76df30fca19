import { vary } from './edits.ts'
import type { Scene } from './description.ts'
import { mix } from './numbers.ts'
import { pictureOf, type Edge, type Patch, type Picture } from './picture.ts'
import { sceneOf, sceneReadAnew } from './scene.ts'

interface Inpainting {
  prompt: string
  mask?: string
  seed: number
  index: number
}

/**
 * The picture with what a mask covers drawn anew: the same world, with what the prompt says of subject, weather and
 * time. What is not covered stays as it is, to the pixel.
 */
export function inpainted(picture: Picture, { mask, ...how }: Inpainting): Picture {
  const { camera } = picture.world
  const scene = repaintedScene(picture, how)
  return { ...picture, patches: [...picture.patches, patchOf(scene, mask, picture, camera)] }
}

function patchOf(scene: Scene, mask: string | undefined, picture: Picture, place: Patch['place']): Patch {
  if (mask === undefined) {
    return { of: pictureOf(scene, picture), place, edge: { shape: 'oval', feather: 0.14 } }
  }
  const { subject: _, ...empty } = scene
  const edge: Edge = { shape: 'mask', digest: mask, feather: 0.03, ...(scene.subject && { subject: scene }) }
  return { of: pictureOf(scene.subject ? empty : scene, picture), place, edge }
}

/** What lies under the mask. Walls and the surroundings of photos are no world that a prompt could belong to. */
function repaintedScene(
  picture: Picture,
  { prompt, seed, index }: { prompt: string; seed: number; index: number },
): Scene {
  const { world, width, height } = picture
  if (world.family === 'gallery' || world.bare || picture.mirrored) {
    const fresh = sceneOf({ prompt, seed: String(mix(seed, index)), width, height })
    // The camera of the world stays, since it says where the patch lies.
    return {
      ...fresh,
      width: width / world.camera.width,
      height: height / world.camera.height,
      camera: world.camera,
    }
  }
  return vary(sceneReadAnew(world, prompt, { keeps: true }), { index, seed })
}
