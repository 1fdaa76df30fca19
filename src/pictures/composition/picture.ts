import type { Camera, Scene } from '../words/description.ts'
import type { Photo } from './drawing.ts'

/**
 * A picture ready to be drawn, as plain JSON: a world without an end that a camera looks at, and patches that lie on
 * it. Whoever zooms out or pans moves the camera; the patches stay where they are in the world.
 */
export interface Picture {
  readonly kind: 'picture'
  /** Pixels of the picture by itself, even numbers; in a grid it is half as wide and high. */
  readonly width: number
  readonly height: number
  readonly world: Scene
  /** The later on top. */
  readonly patches: readonly Patch[]
  /** Drawn at half its size and mirrored to the right and down, so that its edges meet. */
  readonly mirrored?: true
}

/** Something that lies on the world of a picture. */
export interface Patch {
  readonly of: Picture | PhotoView | Overlay
  /** Where it lies: as if a camera saw nothing but it. */
  readonly place: Camera
  readonly edge: Edge
  /** 0..1; 1 when left out. */
  readonly opacity?: number
}

/** A photo, cut to fill its place. */
export interface PhotoView {
  readonly kind: 'photo'
  readonly photo: Photo
  /** How much of its width and height is shown, from the middle: all of it when left out. */
  readonly part?: number
  /** Its mirror image. */
  readonly flipped?: boolean
  /** Factors for brightness and saturation. */
  readonly light?: number
  readonly saturation?: number
  /** How far its colours are turned, in degrees. */
  readonly hue?: number
}

/** Part of a scene without what is behind it. */
export interface Overlay {
  readonly kind: 'overlay'
  readonly scene: Scene
  readonly shows: 'subject' | 'weather'
}

export type Side = 'left' | 'right' | 'top' | 'bottom'

/** How a patch ends. A feather is how wide the soft rim inside the patch is, in parts of its short side. */
export type Edge =
  /** Only sides that the camera sees are soft; of these, only those named, if any are. */
  | { readonly shape: 'rectangle'; readonly feather: number; readonly sides?: readonly Side[] }
  /** Touches the sides of its place, unless it reaches only so far from the middle, in parts of that. */
  | { readonly shape: 'oval'; readonly feather: number; readonly reach?: number }
  /** Leans to the right by so many widths from its foot to its head. */
  | {
      readonly shape: 'slanted'
      readonly lean: number
      readonly feather: number
      readonly sides?: readonly Side[]
    }
  /**
   * What an uploaded mask covers. A subject is put into what is covered, since only there it is seen; it fills so much
   * of its short side.
   */
  | {
      readonly shape: 'mask'
      readonly digest: string
      readonly feather: number
      readonly subject?: { readonly scene: Scene; readonly size: number }
    }

/** The whole frame of a world, as its camera sees it at first. */
export const WHOLE_FRAME: Camera = { x: 0, y: 0, width: 1, height: 1 }

/** A place within what a camera sees, whose edges are given in parts of it: 0, 0, 1, 1 is all of it. */
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

/** A picture of a scene and nothing else. */
export function pictureOf(world: Scene, size: { width: number; height: number } = world): Picture {
  return { kind: 'picture', ...frameSize(size), world, patches: [] }
}

/** No frame is wider or higher than this, in pixels. */
export const LONGEST_SIDE = 2048
const SHORTEST_SIDE = 16

/** The nearest frame that is drawn: no side too long, and both even, so that half of it is whole pixels. */
export function frameSize({ width, height }: { width: number; height: number }): {
  width: number
  height: number
} {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height))
  const even = (side: number) => Math.max(SHORTEST_SIDE, 2 * Math.round((side * scale) / 2))
  return { width: even(width), height: even(height) }
}
