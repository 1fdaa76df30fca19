import type { Photo, PhotoBase, SwappedBase } from '../composition/drawing.ts'
import { photoScene } from './photo-scene.ts'
import {
  frameSize,
  pictureOf,
  placeWithin,
  WHOLE_FRAME,
  type Patch,
  type PhotoView,
  type Picture,
} from '../composition/picture.ts'

/** A size in pixels. */
export interface Frame {
  width: number
  height: number
}

/** An unchanged photo. Zooming out reveals land in its colours around it. */
export function photoPicture({ image, width, height }: PhotoBase): Picture {
  return uponLand([image], { width, height }, [wholePhoto(image)])
}

/** Puts the middle of one photo, where a face would be, as a soft oval into the middle of another. */
export function swappedPicture({ source, target, width, height }: SwappedBase): Picture {
  const face: Patch = {
    of: { kind: 'photo', photo: source, part: 0.56 },
    place: placeWithin(
      WHOLE_FRAME,
      ovalIn({ width, height }, { x: 0.5, y: 0.44, height: 0.52, shape: 0.78 }),
    ),
    edge: { shape: 'oval', feather: 0.24 },
  }
  return uponLand([target], { width, height }, [wholePhoto(target), face])
}

/** Patches on the land that appears when the camera zooms out. */
export function uponLand(photos: readonly Photo[], size: Frame, patches: readonly Patch[]): Picture {
  const world = photoScene(photos, frameSize(size))
  return { ...pictureOf(world), patches }
}

/** A photo that fills the frame. */
export function wholePhoto(photo: Photo, view: Partial<PhotoView> = {}): Patch {
  return {
    of: { ...view, kind: 'photo', photo },
    place: WHOLE_FRAME,
    edge: { shape: 'rectangle', feather: 0.06 },
  }
}

/** The edges of an oval as fractions of the frame; its height is given as a fraction of the short side. */
export function ovalIn(
  frame: Frame,
  { x, y, height, shape }: { x: number; y: number; height: number; shape: number },
): [number, number, number, number] {
  const side = Math.min(frame.width, frame.height)
  const halfHeight = (height * side) / frame.height / 2
  const halfWidth = (height * shape * side) / frame.width / 2
  return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight]
}
