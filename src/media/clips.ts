import { clipKey, type MediaCache } from './cache/media-cache.ts'
import { nextTurn } from '../engine/clock/timers/steps.ts'
import type { DrawnPicture } from './pictures.ts'
import type { ReceivedPictures } from './received/received-pictures.ts'
import { RenderDropped, RenderQueue, type Departure } from './render-queue.ts'
import { RenderFailed, type Media } from './source.ts'
import type { ClipSpec, PictureSpec } from './spec.ts'

type OnFrame = (frame: number) => void
/** How many clips may wait to be rendered. */
export const maxWaitingClips = 256

/** What clips are made with. The functions load what they give when first called. */
export interface ClipTools {
  fullCache: MediaCache
  fastCache: MediaCache
  /** What encodes `full` clips, and decides their bytes. */
  encoder: () => Promise<{ identity(): Promise<string>; knownIdentity(): Promise<string | undefined> }>
  /** Makes the bytes. */
  render: (
    spec: ClipSpec,
    how: { picture: Uint8Array | undefined; onFrame: OnFrame | undefined; signal: AbortSignal | undefined },
  ) => Promise<Uint8Array>
  received: () => Promise<ReceivedPictures>
  /** Draws a picture of our own. */
  drawPicture: (spec: PictureSpec) => Promise<DrawnPicture>
  rendersAtOnce: number
}

/** How many clips are dropped in one turn, where there are so many. */
const minConcurrent = 20

/** What a clip is made with, beside its spec. */
interface How {
  encoder: string | undefined
  onFrame?: OnFrame | undefined
  /** Ends the work early. */
  signal?: AbortSignal
}

/** From spec to finished clip: kept ones first, each made once at a time, a few at once. */
export class Clips {
  readonly #tools: ClipTools
  readonly #renders: RenderQueue<Media>
  /** Fast clips that are being made. */
  readonly #underWay = new Map<string, Promise<Media>>()
  /** Cache reads in progress. */
  readonly #reads = new Map<string, Promise<Media | undefined>>()
  /** Whose bytes `full` clips are, once it is known. */
  #identity: string | undefined
  /** Clips of tasks that are forgotten, and whether they are being dropped. */
  readonly #toForget: ClipSpec[] = []
  #isDropping = false
  #closed = false

  constructor(tools: ClipTools) {
    this.#tools = tools
    this.#renders = new RenderQueue({
      atOnce: tools.rendersAtOnce,
      maxWanted: maxWaitingClips,
      maxForeseen: 4,
    })
  }

  /**
   * At once where the clip is kept in memory.
   * @throws {RenderFailed}
   */
  clip(spec: ClipSpec, onFrame?: OnFrame, departure?: Departure): Media | Promise<Media> {
    return this.#remembered(spec) ?? this.#made(spec, onFrame, departure)
  }

  #remembered(spec: ClipSpec): Media | undefined {
    const isFast = spec.quality === 'fast'
    const encoder = isFast ? undefined : this.#identity
    if (this.#closed || (!isFast && encoder === undefined)) return undefined
    return this.#keptOf(spec).peek(clipKey(spec, { encoder, pictureIsMissing: false }))
  }

  async #made(
    spec: ClipSpec,
    onFrame: OnFrame | undefined,
    departure: Departure | undefined,
  ): Promise<Media> {
    if (this.#closed) throw new RenderFailed('Failed to render a clip: greenroom is closed.')
    const encoder = await this.#encoderOf(spec)
    const key = clipKey(spec, { encoder, pictureIsMissing: false })
    // Fast clips need no encoder, so they don't wait in line with those who do.
    if (spec.quality === 'fast')
      return joinWork(this.#underWay, key, () => this.#make(spec, key, { encoder }))
    const cached = await joinWork(this.#reads, key, () => this.#tools.fullCache.get(key))
    if (cached) return cached
    const work = (signal: AbortSignal): Promise<Media> => this.#make(spec, key, { encoder, onFrame, signal })
    return this.#renders.request(key, work, departure)
  }

  /**
   * Makes the clip if there is room for it.
   * @throws {RenderFailed}
   */
  async prefetch(spec: ClipSpec): Promise<'ready' | 'skipped'> {
    // A fast clip takes milliseconds: whoever wants it can wait for it.
    if (this.#closed || spec.quality === 'fast') return 'skipped'
    const encoder = await this.#encoderOf(spec)
    const key = clipKey(spec, { encoder, pictureIsMissing: false })
    try {
      const made = this.#renders.prefetch(key, (signal) => this.#make(spec, key, { encoder, signal }))
      return (await made) ? 'ready' : 'skipped'
    } catch (error) {
      if (error instanceof RenderDropped) return 'skipped'
      throw error
    }
  }

  /**
   * Drops a clip wherever it is kept, and its render unless a client waits for it; a few in each turn, since a hundred
   * thousand tasks may be forgotten at once. Never fails.
   */
  forget(spec: ClipSpec): void {
    this.#toForget.push(spec)
    if (!this.#isDropping) void this.#dropAll()
  }

  async #dropAll(): Promise<void> {
    this.#isDropping = true
    while (this.#toForget.length > 0 && !this.#closed) {
      await nextTurn()
      // The more there are, the more at once: otherwise who submits without pause would be ahead of it for ever.
      const share = Math.max(minConcurrent, Math.ceil(this.#toForget.length / 50))
      await Promise.all(this.#toForget.splice(0, share).map((spec) => this.#drop(spec)))
    }
    this.#isDropping = false
  }

  async #drop(spec: ClipSpec): Promise<void> {
    try {
      const isFast = spec.quality === 'fast'
      // No program is started for that. Of one that nobody has wanted, only what an earlier process made can lie on the disk,
      // and goes when others need its room.
      const encoder = isFast ? undefined : await (await this.#tools.encoder()).knownIdentity()
      if (!isFast && encoder === undefined) return
      const kept = this.#keptOf(spec)
      const [key, standIn] = [false, true].map((isMissing) =>
        clipKey(spec, { encoder, pictureIsMissing: isMissing }),
      ) as [string, string]
      const dropBoth = async (): Promise<void> => {
        await kept.remove(key)
        if (spec.image) await kept.remove(standIn)
      }
      const ending = [this.#renders.forget(key), this.#underWay.get(key)].filter((each) => each !== undefined)
      // Others don't wait until it has ended.
      if (ending.length > 0) void Promise.allSettled(ending).then(dropBoth)
      else await dropBoth()
    } catch {
      // Without an encoder there is no clip to drop.
    }
  }

  /** Turns away who waits. Call it before the encoder is closed, and `idle` after. */
  close(): void {
    this.#closed = true
    this.#renders.close()
  }

  async idle(): Promise<void> {
    await this.#renders.idle()
    await Promise.allSettled([...this.#underWay.values(), ...this.#reads.values()])
  }

  async #encoderOf(spec: ClipSpec): Promise<string | undefined> {
    if (spec.quality === 'fast') return undefined
    return (this.#identity = await (await this.#tools.encoder()).identity())
  }

  #keptOf({ quality }: ClipSpec): MediaCache {
    return quality === 'fast' ? this.#tools.fastCache : this.#tools.fullCache
  }

  async #make(spec: ClipSpec, key: string, { encoder, onFrame, signal }: How): Promise<Media> {
    const kept = this.#keptOf(spec)
    try {
      const known = await kept.get(key)
      if (known) return known
      const { picture, isWhole } = await this.#pictureOf(spec)
      if (isWhole) return await kept.put(key, await this.#tools.render(spec, { picture, onFrame, signal }))

      // The stand-in has a name of its own: should the picture be sent again, it is shown.
      const standIn = clipKey(spec, { encoder, pictureIsMissing: true })
      return (
        (await kept.get(standIn)) ??
        (await kept.put(standIn, await this.#tools.render(spec, { picture, onFrame, signal })))
      )
    } catch (error) {
      if (this.#closed) {
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

  /** What is set in motion, if it is no scene; not whole if it, or a part of it, isn't there. */
  async #pictureOf(spec: ClipSpec): Promise<{ picture: Uint8Array | undefined; isWhole: boolean }> {
    const { image } = spec
    if (!image) return { picture: undefined, isWhole: true }
    const { sceneToMove, stillOf } = await import('./moving-scene.ts')
    if (sceneToMove(image)) return { picture: undefined, isWhole: true }
    if ('picture' in image) {
      const { bytes, isWhole } = await this.#tools.drawPicture(stillOf(image.picture, spec.quality))
      return { picture: bytes, isWhole }
    }
    const picture = 'digest' in image ? await (await this.#tools.received()).get(image.digest) : undefined
    return { picture, isWhole: picture !== undefined }
  }
}

/** Starts the work, or joins the same work in progress. */
function joinWork<Result>(
  inProgress: Map<string, Promise<Result>>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const known = inProgress.get(key)
  if (known) return known
  const started = work().finally(() => inProgress.delete(key))
  inProgress.set(key, started)
  return started
}
