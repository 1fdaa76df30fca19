import { recognizeCopies } from '../engine/shared-error.ts'
import type { Colour } from '../pictures/places/colour.ts'
import { hexDigestOf } from './cache/digest.ts'
import type {
  AudioSpec,
  ClipSpec,
  FileSpec,
  MediaSpec,
  PictureSpec,
  ReceivedSpec,
  StillSpec,
} from './spec.ts'

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
  /** Its media type, such as `video/mp4`. */
  type: string
  /** A strong entity tag with its quotes: a digest of the bytes. */
  etag: string
}

/**
 * An image from a request: decoded, scaled down and stored by its digest.
 *
 * @example
 * import { readFile } from 'node:fs/promises'
 * const bytes = await readFile('docs/images/drawing-everyday.png')
 * const image: ReceivedImage = await sim.core.media.receiveImage(bytes)
 * image.colours.length > 0 // → true
 */
export interface ReceivedImage {
  /** The hexadecimal SHA-256 of the original bytes. */
  digest: string
  /** In pixels. */
  width: number
  height: number
  /** Its dominant colours, the most frequent first: at least one. */
  colours: readonly Colour[]
}

/**
 * The encoder of clips, as `/_greenroom/health` reports it.
 *
 * @example
 * const encoder: EncoderStatus = sim.core.control.health().encoder
 * encoder.verified // → false
 */
export interface EncoderStatus {
  /** The encoder to try: `wasm`, `ffmpeg-static`, or the configured path. */
  candidate: string
  /** Whether a first render has loaded and checked it. */
  verified: boolean
  /** The encoder's own version line, once it is verified. */
  version?: string
  /** Why it was chosen, or what is wrong with it. */
  reason?: string
}

/** Thrown if an image could not be stored, so that the request is refused. */
export class ImageStoreError extends Error {
  override name = 'ImageStoreError'
}

/**
 * Renders bytes. In Node, it consists of sharp and an encoder in a separate process; other environments have their own
 * source.
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
   * Decodes a client's picture and stores a copy of bounded size for the clip.
   * @throws {ImageRefused} if the bytes are not a picture, or exceed the limits.
   */
  receiveImage(bytes: Uint8Array): Promise<ReceivedImage>
  /** A picture that was received before, with its bytes; undefined if it was evicted. */
  received(digest: string): Promise<{ image: ReceivedImage; media: Media } | undefined>
  /**
   * Decodes a mask and stores it by its digest.
   * @param covered which pixels are covered: by default the `light` and opaque ones, or the `transparent` ones.
   * @throws {ImageRefused} as {@link receiveImage} does.
   */
  receiveMask(bytes: Uint8Array, covered?: 'light' | 'transparent'): Promise<{ digest: string }>
  /**
   * The finished clip. Not a promise if it is in memory. Concurrent calls with the same spec share one render.
   * @param onFrame called with the number of each drawn frame of a `full` clip, from 1. Not called for a clip that is
   * cached or in progress. Restarts at 1 when the encoder is tried again.
   * @param departure returns a signal that is aborted when the client leaves. A clip for which no client waits is not
   * begun. Called only if the client has to wait.
   * @throws {RenderFailed} if the encoder can't be started or fails.
   */
  clip(
    spec: ClipSpec,
    onFrame?: (frame: number) => void,
    departure?: () => AbortSignal,
  ): Media | Promise<Media>
  /**
   * The finished picture, as PNG unless its spec names another format. Like clips, concurrent calls share one render.
   * @param departure as for clips.
   * @throws {RenderFailed} if the picture can't be drawn.
   */
  picture(spec: PictureSpec, departure?: () => AbortSignal): Promise<Media>
  /**
   * A thumbnail or a spritesheet of a clip. Missing if the source makes none.
   * @param departure as for pictures.
   * @throws {RenderFailed} if a frame can't be drawn.
   */
  still?(spec: StillSpec, departure?: () => AbortSignal): Promise<Media>
  /**
   * Reads a file, unchanged. Missing if there are no files.
   * @throws {RenderFailed} if it can't be read, is too large, or is not a picture or video by its name.
   */
  file?(spec: FileSpec): Promise<Media>
  /**
   * Renders a clip before its first request, if the queue has space.
   * @returns whether it was rendered; `skipped` if there was no space.
   * @throws {RenderFailed} as {@link clip} does.
   */
  prefetch(spec: ClipSpec): Promise<'ready' | 'skipped'>
  /**
   * Removes a clip or picture from all caches when no request can name it any more, and stops its render unless a client
   * waits.
   */
  forget?(spec: ClipSpec | PictureSpec): void
  /** The encoder of `full` clips. */
  encoder(): EncoderStatus
  /** Like `encoder`, after one trial run of a native encoder, which shows whether it works. Never rejects. */
  checkEncoder?(): Promise<EncoderStatus>
  /** Resolves when the present work has ended. Never rejects. */
  idle?(): Promise<void>
  /** Stops encoders and waits until they have ended. */
  close(): Promise<void>
}

/**
 * Thrown if bytes are not an image, or can't be decoded. The message is meant for the client.
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
 * Thrown if a clip or picture can't be rendered. The message names the failure and the encoder, and says what to do.
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

/**
 * Thrown if a package for drawing is not installed, or not for this platform. The message names it, and the command that
 * installs it.
 */
export class PackageMissing extends RenderFailed {
  static {
    recognizeCopies(this, 'PackageMissing')
  }

  override name = 'PackageMissing'
}

/**
 * The bytes of a spec of any kind, synchronously if they are cached. Rejects with RenderFailed if they can't be rendered or
 * were evicted.
 *
 * @param departure returns a signal that is aborted when the client leaves.
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
    if (spec.kind === 'audio') return audioOf(spec)
    if (spec.kind === 'bytes') return tagged(spec.bytes, spec.type)
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

async function audioOf(spec: AudioSpec): Promise<Media> {
  const { audioFile } = await import('./audio/audio-file.ts')
  return tagged(audioFile(spec), spec.format === 'wav' ? 'audio/wav' : 'audio/mpeg')
}

async function tagged(bytes: Uint8Array, type: string): Promise<Media> {
  return { bytes, type, etag: `"${await hexDigestOf(bytes)}"` }
}

async function receivedOf(source: MediaSource, { digest }: ReceivedSpec): Promise<Media> {
  const received = await source.received(digest)
  if (received) return received.media
  throw new RenderFailed('The image was evicted from the cache. Send it again.')
}

/** The defaults of media options. */
export const mediaLimits = {
  memoryBytes: 64_000_000,
  cacheBytes: 512_000_000,
  /** For images from clients, with a state folder. */
  receivedBytes: 2_000_000_000,
  rendersAtOnce: 2,
  picturesAtOnce: 2,
  stallTimeoutMs: 30_000,
} as const
