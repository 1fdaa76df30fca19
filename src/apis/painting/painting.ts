import type { Size } from '../../media/raster/raster.ts'
import type { FileSpec, PictureFile, PictureSpec } from '../../media/spec.ts'
import { identityOf } from '../../gateway/identity.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Drawing, Photo } from '../../pictures/composition/drawing.ts'
import { frameSize } from '../../pictures/composition/picture.ts'
import { readMediaShape } from '../../scenario/media-shape.ts'

/** An image to be painted: what it shows, and the file that it becomes. */
export interface Painting {
  /** Without directives. */
  readonly prompt: string
  readonly model: string
  /** The images that it is made from. */
  readonly photos: readonly Photo[]
  /** The digest of the mask of the first image: only what it covers is painted. */
  readonly mask?: string | undefined
  readonly size: Size
  readonly isCutOut?: boolean
  /** PNG without one. */
  readonly file?: PictureFile | undefined
}

/** Longer names would not fit into the comment of a file. */
const maxStyleLength = 40

/**
 * What an image shows, or the file that a rule serves in its place. The same words, model and images are painted alike
 * by every API, in every size and format.
 * @param index of several images of one request, from 0.
 */
export function paint(painting: Painting, index: number, x: Exchange): PictureSpec | FileSpec {
  const { file, isCutOut = false } = painting
  const { decision, draws } = x
  const { file: path, width, height } = decision.media === undefined ? {} : readMediaShape(decision.media)
  if (path !== undefined) return { kind: 'file', path }
  const size = width === undefined || height === undefined ? painting.size : { width, height }
  const seed = draws.integer(2 ** 32, 'images.seed', subjectOf(painting), index)
  const frame = frameSize(size)
  const isFrame = frame.width === size.width && frame.height === size.height
  return {
    kind: 'picture',
    drawing: toDrawing(painting, frame, seed),
    ...(!isFrame && { size: { width: size.width, height: size.height } }),
    ...(isCutOut && { isCutOut }),
    ...(file && { file }),
  }
}

/** What the random draws of an image are keyed by. */
function subjectOf({ prompt, model, photos, mask = '' }: Painting): string {
  const images = photos.map(({ digest, url }) => digest ?? url ?? '')
  return identityOf('images', { prompt, model, images, mask })
}

/** The first of a grid of four, in full size. */
function toDrawing({ prompt, model, photos, mask }: Painting, frame: Size, seed: number): Drawing {
  const [photo, ...others] = photos
  const first = { do: 'upscale', tile: 1 } as const
  if (!photo || others.length > 0) {
    const images = photos.length > 0 ? { images: photos, imageWeight: 2 } : {}
    const style = model.slice(0, maxStyleLength)
    return { base: { kind: 'imagine', prompt, model: style, seed, ...frame, ...images }, edits: [first] }
  }
  if (mask === undefined)
    return { base: { kind: 'edit', image: photo, prompt, seed, ...frame }, edits: [first] }
  return {
    base: { kind: 'photo', image: photo, ...frame },
    edits: [{ do: 'inpaint', prompt, mask, seed }, first],
  }
}
