import type { Picture } from '../pictures/composition/picture.ts'
import { picturesOf } from '../pictures/composition/pictures-of.ts'
import type { Scene } from '../pictures/words/description.ts'
import type { ClipSpec, PictureSpec } from './spec.ts'

/** The scene of a drawing that is only a scene, so it can move like one; undefined for other pictures. */
export function sceneToMove(image: ClipSpec['image']): Scene | undefined {
  const picture = ownPicture(image)
  return picture && picture.patches.length === 0 && !picture.mirrored ? picture.world : undefined
}

/** The drawn picture to animate. For a grid, the requested tile or the first. */
export function ownPicture(image: ClipSpec['image']): Picture | undefined {
  if (!image || !('picture' in image)) return undefined
  const { drawing, tile } = image.picture
  const pictures = picturesOf(drawing)
  return pictures[(tile ?? 1) - 1] ?? pictures[0]
}

/** The picture that is panned and zoomed. The tile of a grid is drawn in its full size. */
export function stillOf(picture: PictureSpec, quality: ClipSpec['quality']): PictureSpec {
  const { drawing, tile } = picture
  // A fast clip is a mosaic of a few hundred pixels.
  const size = quality === 'fast' ? { maxSide: 320 } : {}
  if (picturesOf(drawing).length === 1) return { kind: 'picture', drawing, ...size }
  const edits = [...drawing.edits, { do: 'upscale' as const, tile: tile ?? 1 }]
  return { kind: 'picture', drawing: { ...drawing, edits }, ...size }
}

/** Cuts a scene to another shape: the middle of the scene fills the new frame. */
export function cutToShape(scene: Scene, { width, height }: { width: number; height: number }): Scene {
  const { camera } = scene
  const seen = (camera.width * scene.width) / (camera.height * scene.height)
  const ratio = width / height
  return {
    ...scene,
    camera: {
      ...camera,
      width: camera.width * Math.min(1, ratio / seen),
      height: camera.height * Math.min(1, seen / ratio),
    },
  }
}

/** A clip for each image that a clip shows, in order. Without images, the clip itself. */
export function clipsByImage(spec: ClipSpec): ClipSpec[] {
  const { moreImages = [], ...first } = spec
  return [first, ...moreImages.map((image) => ({ ...first, image }))]
}

/** The share of an image's time in which it fades into the next. */
const fade = 0.2

/**
 * Finds the visible image at a moment of a clip, 0..1.
 * @returns its index, the share of its time that has passed, and the share to which the next image covers it.
 */
export function imageAt(count: number, time: number): { index: number; time: number; nextOpacity: number } {
  const index = Math.min(count - 1, Math.floor(time * count))
  const passed = time * count - index
  const nextOpacity = index === count - 1 ? 0 : Math.max(0, (passed - (1 - fade)) / fade)
  return { index, time: passed, nextOpacity }
}

/**
 * The text from which a scene is drawn: the prompt. For a missing picture, its URL, or the prompt and its digest. The URL
 * is only used as text.
 */
export function sceneText(spec: ClipSpec): string {
  if (!spec.image || 'picture' in spec.image) return spec.prompt
  return 'url' in spec.image ? spec.image.url : `${spec.prompt} ${spec.image.digest}`
}
