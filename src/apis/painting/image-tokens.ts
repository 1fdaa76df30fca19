import type { Size } from '../../media/raster/raster.ts'

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
