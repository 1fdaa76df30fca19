import type { Size } from '../../media/raster/raster.ts'
import type { FileSpec, PictureFile, PictureSpec, MediaSpec } from '../../media/spec.ts'
import { identityOf } from '../../gateway/identity.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { type Drawing, type Photo, frameSize } from '../../pictures/composition/drawing.ts'
import { readMediaShape } from '../../scenario/rules/rule.ts'
import type { Inserts } from '../../engine/reply.ts'

/** An image to be painted: what it shows, and the file that it becomes. */
interface Painting {
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

/** The images of a response, each with a mark in its text that becomes base64 when the response is sent. */
export class ImageMarks {
  readonly #media = new Map<string, MediaSpec>()
  readonly #name: string

  constructor({ identity }: Exchange) {
    this.#name = `image-${identity}`
  }

  /** @returns the mark. */
  add(spec: MediaSpec): string {
    // The end of the mark is not a digit, so no mark is the beginning of another.
    const mark = `${this.#name}-${this.#media.size}-`
    this.#media.set(mark, spec)
    return mark
  }

  /** @param failed the body of the response if an image can't be painted. */
  inserts(failed: unknown): Inserts<MediaSpec> {
    return { media: this.#media, failed: { status: 500, body: JSON.stringify(failed) } }
  }
}

/** How much work a model puts into an image. */
export type ImageQuality = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** Tokens of a square, an upright and a wide image of about a megapixel. */
const tokensByQuality: Readonly<
  Record<ImageQuality, readonly [square: number, upright: number, wide: number]>
> = {
  low: [272, 408, 400],
  medium: [1_056, 1_584, 1_568],
  high: [4_160, 6_240, 6_208],
  xhigh: [6_240, 9_360, 9_312],
  max: [8_320, 12_480, 12_416],
}

/** The pixels that the counts above are for. */
const squarePixels = 1024 * 1024
const longPixels = 1024 * 1536

/** Every partial image of a stream. */
export const tokensOfPartialImage = 100

/**
 * The output tokens of an image: by its quality, in proportion to its pixels.
 * @assumed §8 the tokens of images are undocumented; OpenAI's published counts for three sizes, its image guide.
 */
export function countOutputTokens({ width, height }: Size, quality: ImageQuality): number {
  const [square, upright, wide] = tokensByQuality[quality]
  const [tokens, pixels] =
    width === height ? [square, squarePixels] : width < height ? [upright, longPixels] : [wide, longPixels]
  return Math.max(1, Math.round((tokens * width * height) / pixels))
}

/**
 * An image of a native model, of any size.
 * @assumed §2.7 the tokens of images are undocumented; 1,290 for one of up to a megapixel, the vendor's page on images.
 */
export const tokensOfNativeImage = 1_290
