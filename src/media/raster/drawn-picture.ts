import { sceneSvg, subjectSvg, weatherSvg } from '../../pictures/composition/draw.ts'
import { tileSize, type Photo } from '../../pictures/composition/drawing.ts'
import type { Overlay, Patch, PhotoView, Picture, Side } from '../../pictures/composition/picture.ts'
import { picturesOf } from '../../pictures/composition/pictures-of.ts'
import { MIDDLE } from '../../pictures/edits/edits.ts'
import { standInScene } from '../../pictures/edits/photo-scene.ts'
import type { Camera, Scene } from '../../pictures/words/description.ts'
import { maskName, type PictureSpec, type SourceImages } from '../spec.ts'
import { edgeCoverage, coverMask } from './coverage.ts'
import { type Coverage, cutOval, layPixels, mirrorPixels, padPixels, type Pixels } from './pixels.ts'
import type { Raster, Size } from './raster.ts'

/** Draws the picture of a spec and writes it in the format of the spec. */
export async function pictureFile(
  spec: PictureSpec,
  tools: { raster: Raster; ingredients: SourceImages },
): Promise<Uint8Array> {
  const { raster } = tools
  const pixels = await drawSpec(spec, tools)
  const { format, quality = 100 } = spec.file ?? {}
  if (format === 'jpeg') return raster.toJpeg(pixels, quality)
  return format === 'webp' ? raster.toWebp(pixels, quality) : raster.toPng(pixels)
}

async function drawSpec(
  spec: PictureSpec,
  { raster, ingredients }: { raster: Raster; ingredients: SourceImages },
): Promise<Pixels> {
  const pictures = picturesOf(spec.drawing)
  const visible = choosePictures(pictures, spec.tile)
  const full = visible.length < pictures.length ? tileSize(pictures[0]!) : frameOf(pictures[0]!)
  const size = thumbnailSize(spec.size ?? full, spec.maxSide)
  const { progress = 100, isCutOut = false } = spec
  const isUnfinished = progress < 100
  const subject = isCutOut && !isUnfinished ? subjectOf(visible) : undefined
  if (subject) return drawSubject(subject, size, raster)
  const drawn = isUnfinished ? coarseSize(size, progress) : size
  const pixels = await drawnTogether(visible, drawn, { raster, ingredients, fast: isSmall(drawn, visible) })
  const finished = isUnfinished ? await raster.enlarge(pixels, stepsOf(size), size) : pixels
  return isCutOut ? cutOval(finished) : finished
}

/** The scene whose subject can be drawn alone: of a single picture, whose subject is not part of a photo. */
function subjectOf([picture, ...others]: readonly Picture[]): Scene | undefined {
  const { world, patches } = picture!
  return others.length === 0 && patches.length === 0 && world.cast?.length ? world : undefined
}

/** A subject alone, somewhere in a transparent frame: as each scene has its own place and size for it. */
async function drawSubject(scene: Scene, size: Size, raster: Raster): Promise<Pixels> {
  const { size: largeness, subjectX, horizon } = scene.genes
  const subject = await raster.draw(subjectSvg(scene, scaled(size, 0.75 + 0.25 * largeness)), 4)
  const left = Math.round((size.width - subject.width) * subjectX)
  const top = Math.round((size.height - subject.height) * horizon)
  return padPixels(subject, size, { left, top })
}

/** The requested picture, or all of them. */
function choosePictures(pictures: readonly Picture[], tile: number | undefined): readonly Picture[] {
  if (tile === undefined || pictures.length === 1) return pictures
  return [pictures[tile - 1] ?? pictures[0]!]
}

function frameOf({ width, height }: Picture): Size {
  return { width, height }
}

function thumbnailSize(size: Size, maxSide: number | undefined): Size {
  if (maxSide === undefined) return size
  return scaled(size, Math.min(1, maxSide / Math.max(size.width, size.height)))
}

function scaled({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** In pictures with shorter sides than this, small details are not visible. */
const SMALL = 200

function isSmall({ width, height }: Size, { length }: readonly Picture[]): boolean {
  return Math.max(width, height) / (length > 1 ? 2 : 1) < SMALL
}

async function drawnTogether(pictures: readonly Picture[], size: Size, how: How): Promise<Pixels> {
  const [only] = pictures
  if (pictures.length === 1) return drawPicture(only!, size, how)
  const left = [0, Math.floor(size.width / 2)] as const
  const top = [0, Math.floor(size.height / 2)] as const
  const grid: Pixels = { ...size, data: new Uint8Array(size.width * size.height * 3), channels: 3 }
  await Promise.all(
    pictures.map(async (picture, index) => {
      const [x, y] = [left[index & 1]!, top[index >> 1]!]
      const tile = {
        width: Math.max(1, index & 1 ? size.width - x : left[1]),
        height: Math.max(1, index >> 1 ? size.height - y : top[1]),
      }
      layPixels(grid, await drawPicture(picture, tile, how), { left: x, top: y })
    }),
  )
  return grid
}

/** The size of an unfinished picture, before it is enlarged. */
function coarseSize(size: Size, progress: number): Size {
  const share = Math.max(0, Math.min(99, progress)) / 100
  return scaled(size, 0.012 + 0.04 * share + 0.14 * share * share)
}

/**
 * The size to which it is enlarged softly. It stays coarse by some pixels, since smooth slopes would make files of half a
 * megabyte.
 */
function stepsOf(size: Size): Size {
  return scaled(size, 1 / STEP)
}

const STEP = 4

interface How {
  raster: Raster
  ingredients: SourceImages
  /** Omits details that a small picture doesn't need. */
  fast?: boolean
}

/** Draws a picture in a size: its world first, then patch by patch. */
export async function drawPicture(picture: Picture, size: Size, how: How): Promise<Pixels> {
  if (picture.mirrored) {
    const quarter = { width: Math.ceil(size.width / 2), height: Math.ceil(size.height / 2) }
    const { mirrored: _, ...plain } = picture
    return cropPixels(mirrorPixels(await drawPicture(plain, quarter, how)), size)
  }
  const { world, patches } = picture
  const visible = patches.map((patch) => ({ patch, area: areaOf(patch.place, world.camera, size) }))
  const pixels = isHidden(visible, size) ? blank(size) : await drawScene(world, size, how)
  for (const { patch, area } of visible) if (area) await layPatch(pixels, patch, area, how)
  return pixels
}

/** Pixel art is drawn small, and enlarged without smoothing. */
async function drawScene(world: Scene, size: Size, how: How): Promise<Pixels> {
  if (world.style !== 'pixel') return how.raster.draw(sceneSvg(world, { ...size, ...fast(how) }), 3)
  const small = scaled(size, Math.min(1, pixelArtSide / Math.max(size.width, size.height)))
  return how.raster.enlarge(await how.raster.draw(sceneSvg(world, small), 3), small, size)
}

const pixelArtSide = 96

function fast({ fast = false }: How): { fast: boolean } {
  return { fast }
}

interface Area extends Size {
  left: number
  top: number
  inside: Side[]
}

/** The position of a patch in whole pixels; undefined if it is not visible. */
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

/** Whether a patch covers the whole world, so that the world need not be drawn. */
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
  layPixels(upon, pixels, { left: area.left, top: area.top, coverage, opacity: patch.opacity })
}

async function coverageOf(
  { edge }: Patch,
  pixels: Pixels,
  area: Area,
  { raster, ingredients }: How,
): Promise<Coverage | undefined> {
  if (edge.shape !== 'mask') return edgeCoverage(edge, area)
  const mask = ingredients.get(maskName(edge.digest))
  // A placeholder for an evicted mask: the middle.
  if (!mask) return edgeCoverage(MIDDLE, area)
  const { coverage, box } = await coverMask(raster, mask, { ...area, feather: edge.feather })
  if (edge.subject && box) {
    const size = Math.max(2, Math.round(Math.min(box.width, box.height) * edge.subject.size))
    const subject = await raster.draw(subjectSvg(edge.subject.scene, { width: size, height: size }), 4)
    const [left, top] = [box.left + (box.width - size) / 2, box.top + (box.height - size) * 0.6]
    layPixels(pixels, subject, { left: Math.round(left), top: Math.round(top) })
  }
  return coverage
}

async function drawnSource(source: Picture | PhotoView | Overlay, size: Size, how: How): Promise<Pixels> {
  switch (source.kind) {
    case 'picture':
      return drawPicture(source, size, how)
    case 'photo':
      return drawnPhoto(source, size, how)
    case 'overlay':
      return how.raster.draw((source.shows === 'subject' ? subjectSvg : weatherSvg)(source.scene, size), 4)
  }
}

/** A photo that greenroom drew is drawn again in this size. That is sharper than a scaled file, and has fewer colours. */
async function drawnPhoto(view: PhotoView, size: Size, how: How): Promise<Pixels> {
  const { photo } = view
  const { digest, drawing } = photo
  if (drawing) {
    const pictures = picturesOf(drawing)
    const { width, height } = pictures[0]!
    const covering = scaled({ width, height }, Math.max(size.width / width, size.height / height))
    const pixels = await drawnTogether(pictures, covering, { ...how, fast: isSmall(covering, pictures) })
    return how.raster.drawPhoto(pixels, size, view)
  }
  const file = digest === undefined ? undefined : how.ingredients.get(digest)
  return how.raster.drawPhoto(file ?? standIn(photo, size), size, view)
}

function standIn(photo: Photo, { width, height }: Size): string {
  return sceneSvg(standInScene(photo, { width: Math.max(16, width), height: Math.max(16, height) }))
}

function blank({ width, height }: Size): Pixels {
  return { data: new Uint8Array(width * height * 3), width, height, channels: 3 }
}

/** The upper left part. A size that could not be halved was rounded up. */
function cropPixels(pixels: Pixels, size: Size): Pixels {
  if (pixels.width === size.width && pixels.height === size.height) return pixels
  const smaller = blank(size)
  layPixels(smaller, pixels, { left: 0, top: 0 })
  return smaller
}
