import { promptOf } from '../../media/provenance/provenance.ts'
import type { ClipSpec } from '../../media/spec.ts'
import {
  drawnSizeOf as sizeOfDrawing,
  type Drawing,
  type Photo,
  type PhotoBase,
} from '../../pictures/composition/drawing.ts'
import { describePhoto, describeWords } from '../../pictures/words/photo-prompts.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { Size } from '../../media/raster/raster.ts'
import { evenSize, sizeOf } from '../../media/size.ts'
import type { DrawingPrompt } from './prompt.ts'
import { drawingRequest, type DrawingResult, type Videos } from './result.ts'
import type { DrawingSettings } from './settings.ts'

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

/** The options of videos of an image. */
export interface VideoOptions {
  readonly prompt: string
  readonly motion?: 'low' | 'high' | undefined
  readonly loop?: boolean | undefined
  /** The number of videos; default 4. */
  readonly count?: number | undefined
  /** The short side in pixels. */
  readonly lines?: number | undefined
}

/** @assumed §2.5 videos of drawings are undocumented; wire §7.3, and the channel's public documentation for their length. */
const videoSeconds = { first: 5, extension: 4, max: 21 } as const

/** Videos of an image. Each has another motion. */
export function makeVideos(
  drawing: Drawing,
  options: VideoOptions,
  seed: number,
  settings: DrawingSettings,
): Videos {
  const { width, height } = sizeOfDrawing(drawing)
  const { quality, framesPerSecond } = settings
  const size = sizeOf(options.lines ?? 480, Math.min(4, Math.max(0.25, width / height)))
  return {
    prompt: options.prompt,
    seeds: seedsOf(seed, options.count ?? 4),
    ...evenSize(size),
    seconds: videoSeconds.first,
    motion: options.motion ?? 'low',
    loop: options.loop ?? false,
    quality,
    framesPerSecond: framesPerSecond[quality],
  }
}

/** Extends one of several videos, with its motion unless the options set another. */
export function extendVideo(
  videos: Videos,
  { index, motion, loop, count = 1 }: Omit<VideoOptions, 'prompt'> & { readonly index: number },
  seed: number,
): Videos {
  return {
    ...videos,
    seeds: [videos.seeds[index]!, ...seedsOf(seed, count - 1)],
    seconds: Math.min(videoSeconds.max, videos.seconds + videoSeconds.extension),
    motion: motion ?? videos.motion,
    loop: loop ?? videos.loop,
  }
}

/** The same videos with other motions. */
export function reseed(videos: Videos, seed: number): Videos {
  return { ...videos, seeds: seedsOf(seed, videos.seeds.length) }
}

/** The clips of a task; empty if it has no videos. */
export function clipsOf(task: Task): ClipSpec[] {
  const { videos, drawing, model } = drawingRequest(task)
  if (!videos || !drawing) return []
  const { prompt, width, height, seconds, motion, loop, quality, framesPerSecond } = videos
  return videos.seeds.map((seed) => ({
    kind: 'clip',
    prompt,
    model,
    seed,
    taskId: `${task.record.id}/${seed}`,
    width,
    height,
    seconds,
    framesPerSecond,
    quality,
    caption: false,
    image: { picture: { kind: 'picture', drawing } },
    motion,
    loop,
  }))
}

function seedsOf(seed: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${seed}/${index + 1}`)
}
