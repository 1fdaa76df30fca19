import { promptOf } from '../../media/provenance/provenance.ts'
import type { Drawing, Photo, PhotoBase } from '../../pictures/composition/drawing.ts'
import { describePhoto, describeWords } from '../../pictures/words/photo-prompts.ts'
import type { Size } from '../../media/raster/raster.ts'
import type { DrawingPrompt } from './prompt.ts'
import type { DrawingResult } from './result.ts'

/** The approximate number of pixels of every image. */
const area = 1024 * 1024
const maxSide = 2048

/**
 * The frame of an image, whose sides are multiples of 8.
 * @param ratio width by height.
 */
export function frameOf(ratio: number): Size {
  const width = Math.min(maxSide, Math.sqrt(area * ratio), maxSide * ratio)
  return { width: toEights(width), height: toEights(width / ratio) }
}

function toEights(pixels: number): number {
  return Math.max(64, Math.round(pixels / 8) * 8)
}

/** The default version. */
export const defaultVersion = '7'

/** The result of a prompt: a grid of four, with the ratio in its flags. */
export function drawPrompt(
  { text, flags }: DrawingPrompt,
  images: readonly Photo[],
  version: string,
): (seed: number) => DrawingResult {
  const { chaos, without, tile, imageWeight } = flags
  return (seed) => ({
    kind: 'grid',
    drawing: {
      base: {
        kind: 'imagine',
        prompt: text,
        model: version,
        seed,
        ...frameOf(flags.ratio ?? 1),
        ...(chaos ? { chaos } : {}),
        ...(without && { without }),
        ...(tile && { tile }),
        ...(images.length > 0 && { images }),
        ...(imageWeight !== undefined && { imageWeight }),
      },
      edits: [],
    },
  })
}

/** The version of a prompt: from its flags, otherwise that of the bot. */
export function versionOf({ flags }: DrawingPrompt, botType = ''): string {
  const isNiji = /^niji/i.test(botType)
  return flags.version ?? (isNiji ? 'niji 7' : defaultVersion)
}

/** A client's image, scaled down to the maximum size. */
export function drawPhoto(image: Photo): Drawing & { readonly base: PhotoBase } {
  const { width, height } = image
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const pixels = (side: number): number => Math.max(1, Math.round(side * scale))
  return { base: { kind: 'photo', image, width: pixels(width), height: pixels(height) }, edits: [] }
}

/** Four prompts that could have produced an image. If the image was not fetched, only its URL is known. */
export function describeImage(image: Photo, seed: number): readonly string[] {
  const prompt = image.drawing && promptOf(image.drawing)
  if (prompt) return describeWords(prompt, image, seed)
  return describePhoto({ ...image, digest: image.digest ?? image.url ?? '' }, seed)
}
