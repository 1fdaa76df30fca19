import { nextTurn } from '../engine/clock/timers/steps.ts'
import { clipKey, type MediaCache } from './cache/media-cache.ts'
import type { DrawnPicture } from './pictures.ts'
import type { ReceivedPictures } from './received/received-pictures.ts'
import { RenderDropped, RenderQueue, type Departure } from './render-queue.ts'
import { mediaLimits, RenderFailed, type Media } from './source.ts'
import type { ClipSpec, PictureSpec } from './spec.ts'

type OnFrame = (frame: number) => void

/** How many clips may wait to be rendered. */
export const maxWaitingClips = 256

/** For work that does not wait for other work. */
const unlimited = { maxRunning: Infinity, maxRequests: Infinity, maxPrefetches: 0 }

/** The minimum number of clips that are dropped in one turn. */
const minDropsPerTurn = 20

/** The parts that render clips. Each function loads its part on the first call. */
interface ClipTools {
  fullCache: MediaCache
  fastCache: MediaCache
  /** The encoder of `full` clips. Their bytes depend on its identity. */
  encoder: () => Promise<{ identity(): Promise<string>; knownIdentity(): Promise<string | undefined> }>
  render: (
    spec: ClipSpec,
    how: {
      pictures: (Uint8Array | undefined)[]
      onFrame: OnFrame | undefined
      signal: AbortSignal | undefined
    },
  ) => Promise<Uint8Array>
  received: () => Promise<ReceivedPictures>
  drawPicture: (spec: PictureSpec) => Promise<DrawnPicture>
}

/** How one clip is rendered. */
interface RenderOptions {
  /** The identity of the encoder; undefined for `fast` clips. */
  encoder: string | undefined
  onFrame?: OnFrame | undefined
  signal?: AbortSignal
}

/** Renders clips. Cached clips come first; each clip is rendered once at a time, a few in parallel. */
export class Clips {
  readonly #tools: ClipTools
  readonly #renders = new RenderQueue<Media>({
    maxRunning: mediaLimits.rendersAtOnce,
    maxRequests: maxWaitingClips,
    maxPrefetches: 4,
  })
  /** Fast clips need no encoder, so they don't wait for one. */
  readonly #fastRenders = new RenderQueue<Media>(unlimited)
  readonly #reads = new RenderQueue<Media | undefined>(unlimited)
  /** The identity of the encoder, once it is known. */
  #identity: string | undefined
  readonly #toDrop: ClipSpec[] = []
  #isDropping = false
  #isClosed = false

  constructor(tools: ClipTools) {
    this.#tools = tools
  }

  /**
   * The clip. Not a promise if it is in memory.
   * @throws {RenderFailed}
   */
  clip(spec: ClipSpec, onFrame?: OnFrame, departure?: Departure): Media | Promise<Media> {
    return this.#peek(spec) ?? this.#request(spec, onFrame, departure)
  }

  #peek(spec: ClipSpec): Media | undefined {
    const isFast = spec.quality !== 'full'
    const encoder = isFast ? undefined : this.#identity
    if (this.#isClosed || (!isFast && encoder === undefined)) return undefined
    return this.#cacheOf(spec).peek(clipKey(spec, { encoder, pictureIsMissing: false }))
  }

  async #request(
    spec: ClipSpec,
    onFrame: OnFrame | undefined,
    departure: Departure | undefined,
  ): Promise<Media> {
    if (this.#isClosed) throw new RenderFailed('Failed to render a clip: greenroom is closed.')
    const encoder = await this.#encoderOf(spec)
    const key = clipKey(spec, { encoder, pictureIsMissing: false })
    if (spec.quality !== 'full')
      return this.#fastRenders.request(key, () => this.#render(spec, key, { encoder }))
    const cached = await this.#reads.request(key, () => this.#tools.fullCache.get(key))
    if (cached) return cached
    const work = (signal: AbortSignal): Promise<Media> =>
      this.#render(spec, key, { encoder, onFrame, signal })
    return this.#renders.request(key, work, departure)
  }

  /**
   * Renders the clip if the queue has space.
   * @throws {RenderFailed}
   */
  async prefetch(spec: ClipSpec): Promise<'ready' | 'skipped'> {
    // A fast clip takes milliseconds, so rendering it in advance gains nothing.
    if (this.#isClosed || spec.quality !== 'full') return 'skipped'
    const encoder = await this.#encoderOf(spec)
    const key = clipKey(spec, { encoder, pictureIsMissing: false })
    try {
      const render = this.#renders.prefetch(key, (signal) => this.#render(spec, key, { encoder, signal }))
      return (await render) ? 'ready' : 'skipped'
    } catch (error) {
      if (error instanceof RenderDropped) return 'skipped'
      throw error
    }
  }

  /**
   * Drops a clip from all caches, and its render unless a client waits for it. Only a few are dropped per turn, since a
   * hundred thousand tasks may be forgotten at once. Never fails.
   */
  forget(spec: ClipSpec): void {
    this.#toDrop.push(spec)
    if (!this.#isDropping) void this.#dropAll()
  }

  async #dropAll(): Promise<void> {
    this.#isDropping = true
    while (this.#toDrop.length > 0 && !this.#isClosed) {
      await nextTurn()
      // A longer list is dropped in larger steps, so that a client that submits continuously can't outrun it.
      const count = Math.max(minDropsPerTurn, Math.ceil(this.#toDrop.length / 50))
      await Promise.all(this.#toDrop.splice(0, count).map((spec) => this.#drop(spec)))
    }
    this.#isDropping = false
  }

  async #drop(spec: ClipSpec): Promise<void> {
    try {
      const isFast = spec.quality !== 'full'
      // Doesn't start the encoder for this. The cache evicts files of earlier processes when it needs space.
      const encoder = isFast ? undefined : await (await this.#tools.encoder()).knownIdentity()
      if (!isFast && encoder === undefined) return
      const key = clipKey(spec, { encoder, pictureIsMissing: false })
      const removeBoth = async (): Promise<void> => {
        await this.#cacheOf(spec).remove(key)
        if (spec.image) await this.#cacheOf(spec).remove(clipKey(spec, { encoder, pictureIsMissing: true }))
      }
      const ending = this.#rendersOf(spec).forget(key)
      // Other clips don't wait until it has ended.
      if (ending) void ending.then(removeBoth)
      else await removeBoth()
    } catch {
      // Without an encoder, there is no clip to drop.
    }
  }

  /** Rejects waiting requests. Call it before you close the encoder, and then `idle`. */
  close(): void {
    this.#isClosed = true
    this.#renders.close()
  }

  async idle(): Promise<void> {
    await this.#renders.idle()
    await this.#fastRenders.idle()
    await this.#reads.idle()
  }

  async #encoderOf(spec: ClipSpec): Promise<string | undefined> {
    if (spec.quality !== 'full') return undefined
    return (this.#identity = await (await this.#tools.encoder()).identity())
  }

  #rendersOf({ quality }: ClipSpec): RenderQueue<Media> {
    return quality === 'full' ? this.#renders : this.#fastRenders
  }

  #cacheOf({ quality }: ClipSpec): MediaCache {
    return quality === 'full' ? this.#tools.fullCache : this.#tools.fastCache
  }

  async #render(spec: ClipSpec, key: string, { encoder, onFrame, signal }: RenderOptions): Promise<Media> {
    const cache = this.#cacheOf(spec)
    try {
      const cached = await cache.get(key)
      if (cached) return cached
      const { pictures, isWhole } = await this.picturesOf(spec)
      // A placeholder has a key of its own, because the picture may be sent again.
      const name = isWhole ? key : clipKey(spec, { encoder, pictureIsMissing: true })
      const standIn = isWhole ? undefined : await cache.get(name)
      if (standIn) return standIn
      return await cache.put(name, await this.#tools.render(spec, { pictures, onFrame, signal }))
    } catch (error) {
      if (this.#isClosed) {
        throw new RenderFailed('Failed to render a clip: greenroom was closed meanwhile.', { cause: error })
      }
      if (error instanceof RenderFailed) throw error
      throw new RenderFailed(
        `Failed to draw a clip of ${spec.width}x${spec.height}: ${(error as Error).message}. ` +
          'This is a mistake in greenroom; please report it with the prompt.',
        { cause: error },
      )
    }
  }

  /** The pictures that a clip animates, and whether all of them are available. */
  async picturesOf(spec: ClipSpec): Promise<{ pictures: (Uint8Array | undefined)[]; isWhole: boolean }> {
    if (!spec.image) return { pictures: [undefined], isWhole: true }
    const { clipsByImage } = await import('./moving-scene.ts')
    const all = await Promise.all(clipsByImage(spec).map((each) => this.#pictureOf(each)))
    return { pictures: all.map(({ picture }) => picture), isWhole: all.every(({ isWhole }) => isWhole) }
  }

  /** The picture to animate, and whether all its parts are available; undefined for a scene. */
  async #pictureOf({
    image,
    quality,
  }: ClipSpec): Promise<{ picture: Uint8Array | undefined; isWhole: boolean }> {
    if (!image) return { picture: undefined, isWhole: true }
    const { sceneToMove, stillOf } = await import('./moving-scene.ts')
    if (sceneToMove(image)) return { picture: undefined, isWhole: true }
    if ('picture' in image) {
      const { bytes, isWhole } = await this.#tools.drawPicture(stillOf(image.picture, quality))
      return { picture: bytes, isWhole }
    }
    const picture = 'digest' in image ? await (await this.#tools.received()).get(image.digest) : undefined
    return { picture, isWhole: picture !== undefined }
  }
}
