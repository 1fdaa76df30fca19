import { recognizeCopies } from '../engine/shared-error.ts'
import type { Drawing } from '../pictures/composition/drawing.ts'
import type { Colour } from '../pictures/places/colour.ts'
import type { ClipSpec, FileSpec, MediaSpec, PictureSpec, ReceivedSpec, StillSpec } from './spec.ts'

/**
 * Finished bytes with their media type and entity tag.
 *
 * @example
 * const video: Media = { bytes: new Uint8Array([1, 2, 3]), type: 'video/mp4', etag: '"video-1"' }
 * await using other = createSimulator({ media: { ...sim.core.media, clip: async () => video } })
 * const { bytes } = await new MyClient({ fetch: other.fetch }).makeVideo('a red kite')
 * bytes.length // → 3
 */
export interface Media {
  bytes: Uint8Array
  /** Such as `video/mp4`. */
  type: string
  /** A strong entity tag with its quotes: a digest of the bytes. */
  etag: string
}

/**
 * An image that came with a request: decoded, scaled down and stored by its digest.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * const bytes = await readFile('docs/images/drawing-everyday.png')
 * const image: ReceivedImage = await sim.core.media.receiveImage(bytes)
 * image.colours.length > 0 // → true
 */
export interface ReceivedImage {
  /** Hexadecimal SHA-256 of the bytes as they came. */
  digest: string
  /** In pixels. */
  width: number
  height: number
  /** Its dominant colours, the most frequent first: at least one. */
  colours: readonly Colour[]
  /** What it shows, if it is an unchanged picture of greenroom. The file itself says so, so it may be forged. */
  drawing?: Drawing
}

/**
 * Which encoder makes the clips, as `/_greenroom/health` shows it.
 *
 * @example
 * const encoder: EncoderStatus = sim.core.control.health().encoder
 * encoder.verified // → false
 */
export interface EncoderStatus {
  /** What will be tried: `wasm`, `ffmpeg-static`, or the path that was configured. */
  candidate: string
  /** Whether a first render has loaded and checked it. */
  verified: boolean
  /** The encoder's own version line, once verified. */
  version?: string
  /** Why this one was chosen, or what is wrong with it. */
  reason?: string
}

/** An image could not be stored, so the request must be refused. */
export class ImageStoreError extends Error {
  override name = 'ImageStoreError'
}

/** The numbers of finished, failed and dropped renders, and of those that run or wait. */
export interface RenderCounts {
  readonly done: number
  readonly failed: number
  /** Renders that were dropped because no client waited for them. */
  readonly dropped: number
  readonly running: number
  readonly waiting: number
}

/**
 * Where bytes come from. In Node it is sharp and an encoder in a process of its own; other places bring
 * their own source.
 *
 * @example
 * const { core } = createSimulator({ cacheDir: false })
 * const media: MediaSource = {
 *   ...core.media,
 *   clip: async () => {
 *     throw new RenderFailed('The encoder is on holiday.')
 *   },
 * }
 * await using sim = createSimulator({ media })
 */
export interface MediaSource {
  /**
   * Decodes a picture that a client sent and keeps a bounded copy for the clip.
   * @throws {ImageRefused} when the bytes are no picture, or one over the limits.
   */
  receiveImage(bytes: Uint8Array): Promise<ReceivedImage>
  /** A picture that was received before, with its bytes; undefined if it was evicted. */
  received(digest: string): Promise<{ image: ReceivedImage; media: Media } | undefined>
  /**
   * Decodes a mask and keeps it under its digest: what is light and opaque in it is covered.
   * @throws {ImageRefused} as {@link receiveImage} does.
   */
  receiveMask(bytes: Uint8Array): Promise<{ digest: string }>
  /**
   * Fetches a picture from an http(s) address and takes it as {@link receiveImage} does. Only there when
   * fetching is on; without it, addresses are drawn from and nothing is fetched.
   * @throws {ImageRefused} with what failed, at which address, and what to do.
   */
  fetchImage?(url: string): Promise<ReceivedImage>
  /**
   * The finished clip; not a promise if it is in memory. Concurrent calls with the same spec share one render.
   * @param onFrame called with the number of each frame that was drawn for a `full` clip, from 1. Not called for a clip
   * that is cached or in progress; starts again at 1 when the encoder is tried again.
   * @param departure gives the signal that is aborted when the client leaves: a clip for which no client waits
   * is not begun. Called only where the client has to wait.
   * @throws {RenderFailed} when the encoder can't be started or gives up.
   */
  clip(
    spec: ClipSpec,
    onFrame?: (frame: number) => void,
    departure?: () => AbortSignal,
  ): Media | Promise<Media>
  /**
   * The finished picture as PNG. Concurrent calls with the same spec share one render.
   * @param departure as for {@link clip}.
   * @throws {RenderFailed} when it can't be drawn.
   */
  picture(spec: PictureSpec, departure?: () => AbortSignal): Promise<Media>
  /**
   * A thumbnail or a spritesheet of a clip. Missing where none are made.
   * @param departure as for {@link clip}.
   * @throws {RenderFailed} when it can't be drawn.
   */
  still?(spec: StillSpec, departure?: () => AbortSignal): Promise<Media>
  /**
   * A file as it is. Missing where there are no files.
   * @throws {RenderFailed} when it can't be read, is too large, or is not a picture or video by its name.
   */
  file?(spec: FileSpec): Promise<Media>
  /**
   * Renders a clip ahead of its first request, if there is room.
   * @returns whether it was made; `skipped` when there was no room.
   * @throws {RenderFailed} as {@link clip} does.
   */
  prefetch(spec: ClipSpec): Promise<'ready' | 'skipped'>
  /** Drops a clip or picture that can't be requested any more from all caches, and its render if no client waits. */
  forget?(spec: ClipSpec | PictureSpec): void
  /** What makes `full` clips. */
  encoder(): EncoderStatus
  /** The same, after a native encoder has been run once to learn whether it works. Never rejects. */
  checkEncoder?(): Promise<EncoderStatus>
  /** The renders so far, by what was made. Missing where they aren't counted. */
  renders?(): Readonly<Record<string, RenderCounts>>
  /** Resolves when the work that is in progress now has ended. Never rejects. */
  idle?(): Promise<void>
  /** Stops encoders and waits for them to be gone. */
  close(): Promise<void>
}

/**
 * The bytes are no image, or can't be decoded. The message is meant for the client.
 *
 * @example
 * await sim.core.media.receiveImage(new Uint8Array([1, 2, 3])) // throws ImageRefused
 */
export class ImageRefused extends Error {
  static {
    recognizeCopies(this, 'ImageRefused')
  }

  override name = 'ImageRefused'
}

/**
 * A clip or picture could not be made. The message says what failed, with which encoder, and what to do.
 *
 * @example
 * await sim.core.media.file?.({ kind: 'file', path: '/no/such/clip.mp4' }) // throws RenderFailed: …/no/such/clip.mp4…
 */
export class RenderFailed extends Error {
  static {
    recognizeCopies(this, 'RenderFailed')
  }

  override name = 'RenderFailed'
}

/** A package that draws is not installed, or not for this platform. The message names it, and the command that installs it. */
export class PackageMissing extends RenderFailed {
  static {
    recognizeCopies(this, 'PackageMissing')
  }

  override name = 'PackageMissing'
}

/**
 * The bytes of a spec of any kind, synchronously if they are cached. Rejects with RenderFailed if they can't be made or
 * were evicted.
 *
 * @param departure gives the signal that is aborted when the client leaves.
 */
export function mediaOf(
  source: MediaSource,
  spec: MediaSpec,
  departure?: () => AbortSignal,
): Media | Promise<Media> {
  try {
    if (spec.kind === 'clip') return source.clip(spec, undefined, departure)
    if (spec.kind === 'picture') return source.picture(spec, departure)
    if (spec.kind === 'still') return stillOf(source, spec, departure)
    return spec.kind === 'file' ? fileOf(source, spec) : receivedOf(source, spec)
  } catch (error) {
    // A custom source may throw.
    return Promise.reject(error as Error)
  }
}

async function stillOf(
  source: MediaSource,
  spec: StillSpec,
  departure: (() => AbortSignal) | undefined,
): Promise<Media> {
  if (source.still) return source.still(spec, departure)
  throw new RenderFailed(
    `Failed to draw a ${spec.variant}: the media source has no stills. Give it \`still\`.`,
  )
}

async function fileOf(source: MediaSource, spec: FileSpec): Promise<Media> {
  if (source.file) return source.file(spec)
  throw new RenderFailed(`Failed to serve ${spec.path}: there are no files here. Leave out media.file.`)
}

async function receivedOf(source: MediaSource, { digest }: ReceivedSpec): Promise<Media> {
  const received = await source.received(digest)
  if (received) return received.media
  throw new RenderFailed('The image was evicted from the cache. Send it again.')
}

/** Defaults of the options of media. */
export const mediaLimits = {
  imagePixels: 40_000_000,
  memoryBytes: 64_000_000,
  cacheBytes: 512_000_000,
  /** Images that clients sent, with a state folder. */
  receivedBytes: 2_000_000_000,
  rendersAtOnce: 2,
  picturesAtOnce: 2,
  stallTimeoutMs: 30_000,
} as const
