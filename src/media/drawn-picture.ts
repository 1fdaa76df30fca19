import type { Photo } from '../scene/drawing.ts'
import { sceneSvg, subjectSvg, weatherSvg } from '../scene/draw.ts'
import { MIDDLE } from '../scene/inpainting.ts'
import { standInScene } from '../scene/photo-scene.ts'
import type { Camera } from '../scene/description.ts'
import type { Overlay, Patch, PhotoView, Picture, Side } from '../scene/picture.ts'
import { edgeCoverage } from './edge-coverage.ts'
import { maskedArea } from './mask-coverage.ts'
import { lay, mirroredPixels, type Coverage, type Pixels } from './pixels.ts'
import { loadSharp } from './sharp.ts'

/** The bytes that a picture is made of: photos by their digests, masks by their names. */
export type Ingredients = ReadonlyMap<string, Uint8Array>

/** The name of a mask; the same file may have been sent as a photo, too. */
export function maskName(digest: string): string {
  return `mask ${digest}`
}

interface Size {
  width: number
  height: number
}

interface How {
  ingredients: Ingredients
  /** Leaves out what a small picture can do without. */
  fast?: boolean
}

/** Draws a picture in some size: its world first, then patch by patch. */
export async function drawnPicture(picture: Picture, size: Size, how: How): Promise<Pixels> {
  if (picture.mirrored) {
    const quarter = { width: Math.ceil(size.width / 2), height: Math.ceil(size.height / 2) }
    const { mirrored: _, ...plain } = picture
    return cropped(mirroredPixels(await drawnPicture(plain, quarter, how)), size)
  }
  const { world, patches } = picture
  const visible = patches.map((patch) => ({ patch, area: areaOf(patch.place, world.camera, size) }))
  const pixels = isHidden(visible, size)
    ? blank(size)
    : await drawnSvg(sceneSvg(world, { ...size, ...fast(how) }), 3)
  for (const { patch, area } of visible) if (area) await layPatch(pixels, patch, area, how)
  return pixels
}

function fast({ fast = false }: How): { fast: boolean } {
  return { fast }
}

interface Area extends Size {
  left: number
  top: number
  inside: Side[]
}

/** Where a patch lies, in whole pixels; nothing when it is not seen. */
function areaOf(place: Camera, camera: Camera, size: Size): Area | undefined {
  const pixelX = (x: number) => Math.round(((x - camera.x) / camera.width + 0.5) * size.width)
  const pixelY = (y: number) => Math.round(((y - camera.y) / camera.height + 0.5) * size.height)
  const [left, right] = [pixelX(place.x - place.width / 2), pixelX(place.x + place.width / 2)]
  const [top, bottom] = [pixelY(place.y - place.height / 2), pixelY(place.y + place.height / 2)]
  const [width, height] = [right - left, bottom - top]
  if (width < 1 || height < 1 || right <= 0 || bottom <= 0 || left >= size.width || top >= size.height) {
    return undefined
  }
  const inside: Side[] = []
  if (left > 0) inside.push('left')
  if (right < size.width) inside.push('right')
  if (top > 0) inside.push('top')
  if (bottom < size.height) inside.push('bottom')
  return { left, top, width, height, inside }
}

/** Whether some patch covers all of the world, so that it need not be drawn. */
function isHidden(patches: { patch: Patch; area: Area | undefined }[], { width, height }: Size): boolean {
  return patches.some(({ patch: { of, edge, opacity = 1 }, area }) => {
    if (!area || edge.shape !== 'rectangle' || of.kind === 'overlay' || opacity < 1 || edge.sides?.length)
      return false
    const { left, top } = area
    return left <= 0 && top <= 0 && left + area.width >= width && top + area.height >= height
  })
}

async function layPatch(upon: Pixels, patch: Patch, area: Area, how: How): Promise<void> {
  const pixels = await drawnSource(patch.of, area, how)
  const coverage = await coverageOf(patch, pixels, area, how)
  lay(upon, pixels, { left: area.left, top: area.top, coverage, opacity: patch.opacity })
}

async function coverageOf(
  { edge }: Patch,
  pixels: Pixels,
  area: Area,
  { ingredients }: How,
): Promise<Coverage | undefined> {
  if (edge.shape !== 'mask') return edgeCoverage(edge, area)
  const mask = ingredients.get(maskName(edge.digest))
  // A mask that had to make room for others is taken for one of the middle.
  if (!mask) return edgeCoverage(MIDDLE, area)
  const { coverage, box } = await maskedArea(mask, { ...area, feather: edge.feather })
  if (edge.subject && box) {
    const size = Math.max(2, Math.round(Math.min(box.width, box.height) * edge.subject.size))
    const subject = await drawnSvg(subjectSvg(edge.subject.scene, { width: size, height: size }), 4)
    const [left, top] = [box.left + (box.width - size) / 2, box.top + (box.height - size) * 0.6]
    lay(pixels, subject, { left: Math.round(left), top: Math.round(top) })
  }
  return coverage
}

async function drawnSource(source: Picture | PhotoView | Overlay, size: Size, how: How): Promise<Pixels> {
  switch (source.kind) {
    case 'picture':
      return drawnPicture(source, size, how)
    case 'photo':
      return drawnPhoto(source, size, how)
    case 'overlay':
      return drawnSvg((source.shows === 'subject' ? subjectSvg : weatherSvg)(source.scene, size), 4)
  }
}

async function drawnPhoto(view: PhotoView, size: Size, how: How): Promise<Pixels> {
  const { photo, part = 1, flipped = false } = view
  const sharp = await loadSharp()
  const bytes = (photo.digest && how.ingredients.get(photo.digest)) || (await standIn(photo, size))
  // Cut to the shape of its place first, then to the part that is shown.
  const [wide, high] = [Math.ceil(size.width / part), Math.ceil(size.height / part)]
  let image = sharp(bytes).resize(wide, high, { fit: 'cover' }).removeAlpha().toColourspace('srgb')
  if (part < 1) {
    const left = Math.floor((wide - size.width) / 2)
    image = image.extract({
      left,
      top: Math.floor((high - size.height) / 2),
      width: size.width,
      height: size.height,
    })
  }
  if (flipped) image = image.flop()
  const { light = 1, saturation = 1, hue = 0 } = view
  if (light !== 1 || saturation !== 1 || hue !== 0) {
    image = image.modulate({ brightness: light, saturation, hue: ((hue % 360) + 360) % 360 })
  }
  return rawPixels(image, 3)
}

async function standIn(photo: Photo, { width, height }: Size): Promise<Buffer> {
  return Buffer.from(
    sceneSvg(standInScene(photo, { width: Math.max(16, width), height: Math.max(16, height) })),
  )
}

async function drawnSvg(svg: string, channels: 3 | 4): Promise<Pixels> {
  const sharp = await loadSharp()
  const image = sharp(Buffer.from(svg), { unlimited: true }).toColourspace('srgb')
  return rawPixels(channels === 3 ? image.removeAlpha() : image.ensureAlpha(), channels)
}

async function rawPixels(
  image: { raw(): { toBuffer(options: { resolveWithObject: true }): Promise<{ data: Buffer; info: Size }> } },
  channels: 3 | 4,
): Promise<Pixels> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height, channels }
}

function blank({ width, height }: Size): Pixels {
  return { data: new Uint8Array(width * height * 3), width, height, channels: 3 }
}

/** The upper left part, where a size that could not be halved was rounded up. */
function cropped(pixels: Pixels, size: Size): Pixels {
  if (pixels.width === size.width && pixels.height === size.height) return pixels
  const smaller = blank(size)
  lay(smaller, pixels, { left: 0, top: 0 })
  return smaller
}
