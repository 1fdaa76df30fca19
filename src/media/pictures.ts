import type { Drawing } from '../pictures/composition/drawing.ts'
import type { Overlay, PhotoView, Picture } from '../pictures/composition/picture.ts'
import {
  MediaCache,
  otherPictureFiles,
  pictureFiles,
  pictureKey,
  type MemoryCache,
} from './cache/media-cache.ts'
import type { Raster } from './raster/raster.ts'
import type { ReceivedPictures } from './received/received-pictures.ts'
import { RenderQueue, type Departure } from './render-queue.ts'
import { mediaLimits, RenderFailed, type Media } from './source.ts'
import { maskName, type PictureSpec } from './spec.ts'

/** How many pictures may wait to be drawn. */
export const maxWaitingPictures = 1024

/** The parts that render pictures. */
interface PictureTools {
  raster: Raster
  /** Of finished pictures in PNG. */
  cache: MediaCache
  /** In memory only, for thumbnails, unfinished pictures and other formats than PNG. */
  memory: MemoryCache<Media>
  received: () => Promise<ReceivedPictures>
}

/** A drawn picture, and whether all its source images were available. */
export interface DrawnPicture extends Media {
  isWhole: boolean
}

/** Renders pictures. Cached pictures come first; each picture is drawn once at a time, a few in parallel. */
export class Pictures {
  readonly #tools: PictureTools
  readonly #renders = new RenderQueue<DrawnPicture>({
    what: 'picture',
    maxRunning: mediaLimits.picturesAtOnce,
    maxRequests: maxWaitingPictures,
    maxPrefetches: 0,
  })
  #isClosed = false

  constructor(tools: PictureTools) {
    this.#tools = tools
  }

  /** @throws {RenderFailed} */
  async picture(spec: PictureSpec, departure?: Departure): Promise<DrawnPicture> {
    if (this.#isClosed) throw new RenderFailed('Failed to draw a picture: greenroom is closed.')
    const key = pictureKey(spec, { isWhole: true })
    const cached = await this.#cacheOf(spec).get(key)
    if (cached) return { ...cached, isWhole: true }
    return this.#renders.request(key, () => this.#draw(spec, key), departure)
  }

  /** Drops a picture from all caches. If it is being drawn, drops it after that. Never fails. */
  async forget(spec: PictureSpec): Promise<void> {
    const whole = pictureKey(spec, { isWhole: true })
    await this.#renders.forget(whole)
    for (const key of [whole, pictureKey(spec, { isWhole: false })]) await this.#cacheOf(spec).remove(key)
  }

  /** Rejects waiting requests. */
  close(): void {
    this.#isClosed = true
    this.#renders.close()
  }

  async idle(): Promise<void> {
    await this.#renders.idle()
  }

  #cacheOf({ progress = 100, maxSide, file }: PictureSpec): MediaCache {
    const { cache, memory } = this.#tools
    if (progress >= 100 && maxSide === undefined && !file) return cache
    const kind = file ? otherPictureFiles[file.format] : pictureFiles
    return new MediaCache({ memory, kind })
  }

  async #draw(spec: PictureSpec, key: string): Promise<DrawnPicture> {
    const cache = this.#cacheOf(spec)
    try {
      const cached = await cache.get(key)
      if (cached) return { ...cached, isWhole: true }
      const { picturesOf } = await import('../pictures/composition/pictures-of.ts')
      const names: SourceNames = { photos: new Set(), masks: new Set() }
      for (const picture of picturesOf(spec.drawing)) collectNames(picture, names, picturesOf)
      const { images, isWhole } = await this.#sourceImagesOf(names)
      // A picture with placeholders has a key of its own, because the missing image may be sent again.
      const name = isWhole ? key : pictureKey(spec, { isWhole: false })
      const standIn = isWhole ? undefined : await cache.get(name)
      if (standIn) return { ...standIn, isWhole }
      const { pictureFile } = await import('./raster/drawn-picture.ts')
      const file = await pictureFile(spec, { raster: this.#tools.raster, ingredients: images })
      const media = await cache.put(name, file)
      return { ...media, isWhole }
    } catch (error) {
      if (error instanceof RenderFailed) throw error
      throw new RenderFailed(
        `Failed to draw a picture: ${(error as Error).message}. ` +
          'This is a mistake in greenroom; please report it with the prompt.',
        { cause: error },
      )
    }
  }

  async #sourceImagesOf({
    photos,
    masks,
  }: SourceNames): Promise<{ images: Map<string, Uint8Array>; isWhole: boolean }> {
    const images = new Map<string, Uint8Array>()
    if (photos.size + masks.size === 0) return { images, isWhole: true }
    const received = await this.#tools.received()
    const add = (name: string, bytes: Uint8Array | undefined): void => void (bytes && images.set(name, bytes))
    for (const digest of photos) add(digest, await received.get(digest))
    for (const digest of masks) add(maskName(digest), await received.getMask(digest))
    return { images, isWhole: images.size === photos.size + masks.size }
  }
}

/** The digests of the files that a picture uses. */
interface SourceNames {
  readonly photos: Set<string>
  readonly masks: Set<string>
}

/** Received drawings are drawn again, so only their source images are needed. */
function collectNames(
  source: Picture | PhotoView | Overlay,
  names: SourceNames,
  picturesOf: (drawing: Drawing) => readonly Picture[],
): void {
  if (source.kind === 'photo') {
    const { digest, drawing } = source.photo
    if (drawing) for (const picture of picturesOf(drawing)) collectNames(picture, names, picturesOf)
    else if (digest) names.photos.add(digest)
  }
  if (source.kind !== 'picture') return
  for (const { of, edge } of source.patches) {
    collectNames(of, names, picturesOf)
    if (edge.shape === 'mask') names.masks.add(edge.digest)
  }
}
