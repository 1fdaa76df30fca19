import type { Drawing } from '../pictures/composition/drawing.ts'
import type { Overlay, PhotoView, Picture } from '../pictures/composition/picture.ts'
import { type MediaCache, pictureKey } from './cache/media-cache.ts'
import type { ReceivedPictures } from './received/received-pictures.ts'
import type { Raster } from './raster/raster.ts'
import { RenderQueue, type Departure } from './render-queue.ts'
import { RenderFailed, type Media } from './source.ts'
import { drawingName, maskName, type PictureSpec } from './spec.ts'

/** How many pictures may wait to be drawn. */
export const maxWaitingPictures = 1024

/** What pictures are drawn with. */
export interface PictureTools {
  raster: Raster
  cache: MediaCache
  /** For thumbnails and unfinished pictures: to draw one again costs less than to write it to disk. */
  memoryCache: MediaCache
  received: () => Promise<ReceivedPictures>
  drawnAtOnce: number
}

/** A drawn picture, and whether all that it is made of was there. */
export interface DrawnPicture extends Media {
  isWhole: boolean
}

/** From spec to finished picture: kept ones first, each drawn once at a time, a few at once. */
export class Pictures {
  readonly #tools: PictureTools
  readonly #renders: RenderQueue<DrawnPicture>
  #closed = false

  constructor(tools: PictureTools) {
    this.#tools = tools
    this.#renders = new RenderQueue({
      what: 'picture',
      atOnce: tools.drawnAtOnce,
      maxWanted: maxWaitingPictures,
      maxForeseen: 0,
    })
  }

  /** @throws {RenderFailed} */
  async picture(spec: PictureSpec, departure?: Departure): Promise<DrawnPicture> {
    if (this.#closed) throw new RenderFailed('Failed to draw a picture: greenroom is closed.')
    const key = pictureKey(spec, { isWhole: true })
    const known = await this.#keptFor(spec).get(key)
    if (known) return { ...known, isWhole: true }
    return this.#renders.request(key, () => this.#draw(spec, key), departure)
  }

  /** Drops a picture wherever it is kept, once it is finished if it is being drawn. Never fails. */
  async forget(spec: PictureSpec): Promise<void> {
    const whole = pictureKey(spec, { isWhole: true })
    await this.#renders.forget(whole)
    for (const key of [whole, pictureKey(spec, { isWhole: false })]) await this.#keptFor(spec).remove(key)
  }

  /** Turns away who waits. */
  close(): void {
    this.#closed = true
    this.#renders.close()
  }

  async idle(): Promise<void> {
    await this.#renders.idle()
  }

  #keptFor({ progress = 100, maxSide }: PictureSpec): MediaCache {
    return progress < 100 || maxSide !== undefined ? this.#tools.memoryCache : this.#tools.cache
  }

  async #draw(spec: PictureSpec, key: string): Promise<DrawnPicture> {
    const kept = this.#keptFor(spec)
    try {
      const known = await kept.get(key)
      if (known) return { ...known, isWhole: true }
      const { picturesOf } = await import('../pictures/composition/pictures-of.ts')
      const { ingredients, isWhole } = await this.#ingredientsOf(picturesOf(spec.drawing))
      // A picture with stand-ins has a name of its own: should what is missing come again, it is shown.
      const name = isWhole ? key : pictureKey(spec, { isWhole: false })
      const standIn = isWhole ? undefined : await kept.get(name)
      if (standIn) return { ...standIn, isWhole }
      const { pictureFile } = await import('./raster/drawn-picture.ts')
      return {
        ...(await kept.put(name, await pictureFile(spec, { raster: this.#tools.raster, ingredients }))),
        isWhole,
      }
    } catch (error) {
      if (error instanceof RenderFailed) throw error
      throw new RenderFailed(
        `Failed to draw a picture: ${(error as Error).message}. ` +
          'This is a mistake in greenroom; please report it with the prompt.',
        { cause: error },
      )
    }
  }

  async #ingredientsOf(
    pictures: readonly Picture[],
  ): Promise<{ ingredients: Map<string, Uint8Array>; isWhole: boolean }> {
    const found: Found = { photos: new Set(), masks: new Set(), drawings: new Map() }
    for (const picture of pictures) gather(picture, found)
    const { photos, masks, drawings } = found
    const ingredients = new Map<string, Uint8Array>()
    let isWhole = true
    // In the slot of the picture that is made of them: they would wait for each other.
    for (const [name, drawing] of drawings) {
      const spec: PictureSpec = { kind: 'picture', drawing }
      const drawn = await this.#draw(spec, pictureKey(spec, { isWhole: true }))
      ingredients.set(name, drawn.bytes)
      isWhole &&= drawn.isWhole
    }
    if (photos.size + masks.size === 0) return { ingredients, isWhole }
    const received = await this.#tools.received()
    for (const digest of photos) keep(ingredients, digest, await received.get(digest))
    for (const digest of masks) keep(ingredients, maskName(digest), await received.getMask(digest))
    return {
      ingredients,
      isWhole: isWhole && ingredients.size === photos.size + masks.size + drawings.size,
    }
  }
}

function keep(ingredients: Map<string, Uint8Array>, digest: string, bytes: Uint8Array | undefined): void {
  if (bytes) ingredients.set(digest, bytes)
}

/** What pictures are made of: photos and masks by their digests, and pictures of our own by their names. */
interface Found {
  readonly photos: Set<string>
  readonly masks: Set<string>
  readonly drawings: Map<string, Drawing>
}

function gather(source: Picture | PhotoView | Overlay, found: Found): void {
  if (source.kind === 'photo') {
    const { digest, drawing } = source.photo
    if (digest) found.photos.add(digest)
    else if (drawing) found.drawings.set(drawingName(drawing), drawing)
  }
  if (source.kind !== 'picture') return
  for (const { of, edge } of source.patches) {
    gather(of, found)
    if (edge.shape === 'mask') found.masks.add(edge.digest)
  }
}
