import type { Camera, Scene } from '../words/description.ts'
import { frameSize, type Photo } from './drawing.ts'

/**
 * A picture ready to be rendered, as plain JSON: a camera over an infinite world, and patches on that world. Zooming and
 * panning move the camera; patches keep their world coordinates.
 */
export interface Picture {
  readonly kind: 'picture'
  /** Size of the single picture in pixels, even numbers. In a grid it is half as wide and high. */
  readonly width: number
  readonly height: number
  readonly world: Scene
  /** In drawing order: later patches are on top. */
  readonly patches: readonly Patch[]
  /** Drawn at half its size, and mirrored to the right and down, so that its edges meet. */
  readonly mirrored?: true
}

/** A part that lies on the world of a picture. */
export interface Patch {
  readonly of: Picture | PhotoView | Overlay
  /** Its rectangle, as a camera that would see exactly this patch. */
  readonly place: Camera
  readonly edge: Edge
  /** 0..1; default 1. */
  readonly opacity?: number
}

/** A photo, cropped to fill its place. */
export interface PhotoView {
  readonly kind: 'photo'
  readonly photo: Photo
  /** Whether it is mirrored. */
  readonly flipped?: boolean
  /** Factors for brightness and saturation. */
  readonly light?: number
  readonly saturation?: number
  /** Hue rotation in degrees. */
  readonly hue?: number
}

/** Part of a scene, without its background. */
export interface Overlay {
  readonly kind: 'overlay'
  readonly scene: Scene
  readonly shows: 'subject' | 'weather'
}

export type Side = 'left' | 'right' | 'top' | 'bottom'

/** The edge of a patch. `feather` is the width of the soft inner rim, relative to the short side of the patch. */
export type Edge =
  /** Visible sides are soft; if `sides` is set, only those. */
  | { readonly shape: 'rectangle'; readonly feather: number; readonly sides?: readonly Side[] }
  /** An oval that touches the sides of its place; `reach` scales its radius. */
  | { readonly shape: 'oval'; readonly feather: number; readonly reach?: number }
  /** A slanted shape: it leans to the right by `lean` widths from bottom to top. */
  | {
      readonly shape: 'slanted'
      readonly lean: number
      readonly feather: number
      readonly sides?: readonly Side[]
    }
  /**
   * The area that an uploaded mask covers. Only this area is visible, so the subject is placed inside it; `size` is
   * relative to the short side of the area.
   */
  | {
      readonly shape: 'mask'
      readonly digest: string
      readonly feather: number
      readonly subject?: { readonly scene: Scene; readonly size: number }
    }

/** The initial camera: the whole frame of a world. */
export const WHOLE_FRAME: Camera = { x: 0, y: 0, width: 1, height: 1 }

/** A rectangle within the view of a camera, relative to it: 0, 0, 1, 1 is the whole view. */
export function placeWithin(
  camera: Camera,
  [left, top, right, bottom]: readonly [number, number, number, number],
): Camera {
  return {
    x: camera.x + camera.width * ((left + right) / 2 - 0.5),
    y: camera.y + camera.height * ((top + bottom) / 2 - 0.5),
    width: camera.width * (right - left),
    height: camera.height * (bottom - top),
  }
}

/** A picture of a scene, without patches. */
export function pictureOf(world: Scene, size: { width: number; height: number } = world): Picture {
  return { kind: 'picture', ...frameSize(size), world, patches: [] }
}
