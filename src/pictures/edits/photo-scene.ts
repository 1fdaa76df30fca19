import { between, distance, luminance, type Colour, hueOf, saturationOf } from '../places/colour.ts'
import { photosOf, type Photo, type PhotoBase, frameSize } from '../composition/drawing.ts'
import { fnv1a } from '../../engine/random/hash.ts'
import { PALETTE_ROLES, PALETTE_TABLE, type NamedPalette, type Palette } from '../data/palette-table.ts'
import type { Place, Scene } from '../words/description.ts'
import { paletteOf } from '../places/palettes.ts'
import { sceneOf } from '../places/scene.ts'
import { pictureOf, WHOLE_FRAME, type Patch, type PhotoView, type Picture } from '../composition/picture.ts'

/** The land around photos, in their colours. */
export function photoScene(photos: readonly Photo[], size: { width: number; height: number }): Scene {
  const colours = photos.flatMap((photo) => coloursOf(photo).slice(0, 5))
  const scene = sceneOf({ prompt: '', seed: photos.map(nameOf).join(' '), ...size })
  return { ...scene, family: landOf(colours), ownPalette: paletteIn(colours), bare: true }
}

/** The placeholder for a photo without bytes: a scene drawn from its URL, in its colours if they are known. */
export function standInScene(photo: Photo, size: { width: number; height: number }): Scene {
  const scene = sceneOf({ prompt: nameOf(photo), ...size })
  return photo.colours.length > 1 ? { ...scene, ownPalette: paletteIn(photo.colours) } : scene
}

/** The colours of a photo. For a picture that greenroom drew, those of the palette of its first scene. */
function coloursOf({ drawing, colours }: Photo): readonly Colour[] {
  if (!drawing) return colours
  const { base } = drawing
  if (base.kind !== 'imagine') return photosOf(base).flatMap(coloursOf)
  const palette = paletteOf(sceneOf({ ...base, seed: String(base.seed) }))
  return PALETTE_ROLES.map((role) => palette[role])
}

function nameOf({ url, digest }: Photo): string {
  return url ?? digest ?? ''
}

/** The nearest named palette, shifted towards the colours. */
export function paletteIn(colours: readonly Colour[]): Palette {
  const near = nearestPalette(colours)
  const roles = PALETTE_ROLES.map((role) => {
    const nearest = colours.toSorted((a, b) => distance(a, near[role]) - distance(b, near[role]))[0]
    return [role, nearest ? between(near[role], nearest, 0.6) : near[role]]
  })
  return Object.fromEntries(roles) as Palette
}

/** The palette whose large surfaces are nearest to these colours. */
function nearestPalette(colours: readonly Colour[]): NamedPalette {
  const surfaces = ['skyTop', 'skyLow', 'far', 'near'] as const
  function unlikeness(palette: NamedPalette): number {
    return colours.reduce((sum, colour, i) => {
      const nearest = Math.min(...surfaces.map((role) => distance(colour, palette[role])))
      // Colours are weighted by their area.
      return sum + nearest / (i + 1)
    }, 0)
  }
  return PALETTE_TABLE.toSorted((a, b) => unlikeness(a) - unlikeness(b))[0]!
}

/** The land that suits colours: blue is water, green is forest, warm is dry, and everything else is hills. */
function landOf(colours: readonly Colour[]): Place {
  const [first = '#808080'] = colours.toSorted((a, b) => saturationOf(b) - saturationOf(a))
  if (saturationOf(first) < 0.15) return 'hills'
  const hue = hueOf(first)
  if (hue > 170 && hue < 255) return 'sea'
  if (hue > 70 && hue <= 170) return luminance(first) < 0.45 ? 'forest' : 'hills'
  if (hue > 15 && hue <= 70) return 'dunes'
  return fnv1a(first) & 1 ? 'hills' : 'sea'
}

/** A size in pixels. */
export interface Frame {
  width: number
  height: number
}

/** An unchanged photo. Zooming out reveals land in its colours around it. */
export function photoPicture({ image, width, height }: PhotoBase): Picture {
  return uponLand([image], { width, height }, [wholePhoto(image)])
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
