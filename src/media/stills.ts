import { clipKey, MediaCache, type MediaKind, type MemoryCache } from './cache/media-cache.ts'
import type { Clips } from './clips.ts'
import type { Pixels } from './raster/pixels.ts'
import type { Raster, Size } from './raster/raster.ts'
import { RenderQueue, type Departure } from './render-queue.ts'
import { RenderFailed, type Media } from './source.ts'
import type { ClipSpec, StillSpec } from './spec.ts'

/** The number of frames in a row of a spritesheet, and of rows. */
const framesEachWay = 4

const webpQuality = 85

/** The longest side of a frame in a spritesheet, in pixels. */
const maxFrameSide = 320

const kinds: Readonly<Record<StillSpec['variant'], MediaKind>> = {
  thumbnail: { name: 'thumbnail', extension: 'webp', type: 'image/webp' },
  spritesheet: { name: 'spritesheet', extension: 'png', type: 'image/png' },
}

/** Draws the frame at a moment of a clip, 0..1. */
type DrawFrame = (time: number) => Promise<Pixels>

interface StillTools {
  raster: Raster
  memory: MemoryCache<Media>
  clips: Pick<Clips, 'picturesOf'>
  /** Opens a `full` clip. Missing if there are only `fast` ones. */
  openFrames?: (spec: ClipSpec, pictures: readonly (Uint8Array | undefined)[]) => Promise<DrawFrame>
}

/** Renders thumbnails and spritesheets of clips, without rendering the clips. */
export class Stills {
  readonly #tools: StillTools
  readonly #renders = new RenderQueue<Media>({
    what: 'picture',
    maxRunning: 1,
    maxRequests: 64,
    maxPrefetches: 0,
  })

  constructor(tools: StillTools) {
    this.#tools = tools
  }

  /** @throws {RenderFailed} */
  async still({ clip, variant, maxSide }: StillSpec, departure?: Departure): Promise<Media> {
    const { raster, memory, clips } = this.#tools
    const { pictures, isWhole } = await clips.picturesOf(clip)
    const key = `${variant} ${maxSide ?? ''} ${clipKey(clip, { encoder: undefined, pictureIsMissing: !isWhole })}`
    const cache = new MediaCache({ memory, kind: kinds[variant] })
    const draw = async (): Promise<Media> => {
      const frameAt = await this.#open(clip, pictures)
      const bytes =
        variant === 'thumbnail'
          ? await raster.toWebp(await thumbnail(raster, await frameAt(0), maxSide), webpQuality)
          : await raster.toPng(await spritesheet(raster, frameAt))
      return cache.put(key, bytes)
    }
    try {
      return cache.peek(key) ?? (await this.#renders.request(key, draw, departure))
    } catch (error) {
      if (error instanceof RenderFailed) throw error
      throw new RenderFailed(`Failed to draw a ${variant}: ${(error as Error).message}.`, { cause: error })
    }
  }

  /** Rejects waiting requests. */
  close(): void {
    this.#renders.close()
  }

  async #open(clip: ClipSpec, pictures: readonly (Uint8Array | undefined)[]): Promise<DrawFrame> {
    const { raster, openFrames } = this.#tools
    if (clip.quality === 'full' && openFrames) return openFrames(clip, pictures)
    const { openTiles } = await import('./h264/tiled-clip.ts')
    const { count, draw } = await openTiles(clip, { raster, pictures })
    return async (time) => {
      const { rgb: data, width, height } = draw(Math.floor(time * count))
      // Tiles have 4 × 4 pixels, and reach beyond the frame.
      const tiles = { data, width, height, channels: 3 as const }
      const size = { width: width * 4, height: height * 4 }
      return crop(await raster.enlarge(tiles, { width, height }, size), clip)
    }
  }
}

async function thumbnail(raster: Raster, frame: Pixels, maxSide = Infinity): Promise<Pixels> {
  return Math.max(frame.width, frame.height) <= maxSide ? frame : shrink(raster, frame, maxSide)
}

async function spritesheet(raster: Raster, frameAt: DrawFrame): Promise<Pixels> {
  const count = framesEachWay * framesEachWay
  let sheet: Pixels | undefined
  for (let index = 0; index < count; index += 1) {
    const frame = await shrink(raster, await frameAt(index / count))
    const { width, height } = frame
    sheet ??= {
      data: new Uint8Array(width * height * 3 * count),
      width: width * framesEachWay,
      height: height * framesEachWay,
      channels: 3,
    }
    const left = (index % framesEachWay) * width
    const top = Math.floor(index / framesEachWay) * height
    for (let y = 0; y < height; y += 1) {
      const row = frame.data.subarray(y * width * 3, (y + 1) * width * 3)
      sheet.data.set(row, ((top + y) * sheet.width + left) * 3)
    }
  }
  return sheet!
}

async function shrink(raster: Raster, frame: Pixels, maxSide = maxFrameSide): Promise<Pixels> {
  const scale = Math.min(1, maxSide / Math.max(frame.width, frame.height))
  const sideOf = (side: number): number => Math.max(1, Math.round(side * scale))
  return raster.stretch(await raster.toPng(frame), {
    width: sideOf(frame.width),
    height: sideOf(frame.height),
  })
}

function crop({ data, width: fullWidth }: Pixels, { width, height }: Size): Pixels {
  const cropped = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    cropped.set(data.subarray(y * fullWidth * 3, (y * fullWidth + width) * 3), y * width * 3)
  }
  return { data: cropped, width, height, channels: 3 }
}
