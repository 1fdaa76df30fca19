import type { Photo } from '../../pictures/composition/drawing.ts'
import { sceneSvg, subjectSvg, weatherSvg } from '../../pictures/composition/draw.ts'
import { MIDDLE } from '../../pictures/edits/inpainting.ts'
import { standInScene } from '../../pictures/edits/photo-scene.ts'
import type { Camera } from '../../pictures/words/description.ts'
import type { Overlay, Patch, PhotoView, Picture, Side } from '../../pictures/composition/picture.ts'
import { edgeCoverage } from './edge-coverage.ts'
import { maskName, photoName, type SourceImages } from '../received/source-images.ts'
import { maskedArea } from './mask-coverage.ts'
import { lay, mirroredPixels, type Coverage, type Pixels } from './pixels.ts'
import type { Raster, Size } from './raster.ts'

interface How {
  raster: Raster
  ingredients: SourceImages
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
    : await how.raster.drawn(sceneSvg(world, { ...size, ...fast(how) }), 3)
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
  { raster, ingredients }: How,
): Promise<Coverage | undefined> {
  if (edge.shape !== 'mask') return edgeCoverage(edge, area)
  const mask = ingredients.get(maskName(edge.digest))
  // A mask that had to make room for others is taken for one of the middle.
  if (!mask) return edgeCoverage(MIDDLE, area)
  const { coverage, box } = await maskedArea(raster, mask, { ...area, feather: edge.feather })
  if (edge.subject && box) {
    const size = Math.max(2, Math.round(Math.min(box.width, box.height) * edge.subject.size))
    const subject = await raster.drawn(subjectSvg(edge.subject.scene, { width: size, height: size }), 4)
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
      return how.raster.drawn((source.shows === 'subject' ? subjectSvg : weatherSvg)(source.scene, size), 4)
  }
}

async function drawnPhoto(view: PhotoView, size: Size, { raster, ingredients }: How): Promise<Pixels> {
  const { photo } = view
  const name = photoName(photo)
  const file = name && ingredients.get(name)
  return raster.photo(file || standIn(photo, size), size, view)
}

function standIn(photo: Photo, { width, height }: Size): string {
  return sceneSvg(standInScene(photo, { width: Math.max(16, width), height: Math.max(16, height) }))
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
