import type { Drawing } from '../pictures/composition/drawing.ts'

/**
 * What a clip must show, as flat data. The same spec is the same bytes, so it is also the cache key
 * of the finished file.
 *
 * @example
 * const specs: ClipSpec[] = []
 * const clip: MediaSource['clip'] = (spec) => {
 *   specs.push(spec)
 *   return sim.core.media.clip(spec)
 * }
 * await using watched = createSimulator({ media: { ...sim.core.media, clip } })
 * await new MyClient({ fetch: watched.fetch }).makeVideo('a red kite')
 * specs // → [{ kind: 'clip', prompt: 'a red kite', width: 128, height: 96, seconds: 1, … }]
 */
export interface ClipSpec {
  kind: 'clip'
  /** The prompt without magic directives. */
  prompt: string
  model: string
  /** What the scene is drawn from, with prompt and model. */
  seed: string
  /** Makes the clip of each task unlike every other, in `fast` quality and in the caption. */
  taskId: string
  /** Even numbers of pixels. */
  width: number
  height: number
  /** Whole seconds. */
  seconds: number
  framesPerSecond: number
  quality: Quality
  /** Whether prompt, model, task id and a running time code are drawn into a `full` clip. */
  caption: boolean
  /** The picture to set in motion, for image-to-video. */
  image?: ClipImage
  /** The images that the clip shows after the first one, each for the same time. */
  moreImages?: readonly ClipImage[]
  /** How far things move; default `low`. */
  motion?: 'low' | 'high'
  /** Whether it ends as it begins. */
  loop?: boolean
  /** The sound; without it, there is no audio track. A test card always beeps. */
  audio?: Sound
}

/** The sounds of clips. */
export type Sound = 'silence' | 'tone' | 'ambience' | 'beep'

/** What is heard in a clip; `none` leaves the audio track out. */
export type AudioOption = 'none' | Exclude<Sound, 'beep'>

/** A picture that a clip sets in motion: one that was sent, or one of our own. */
export type ClipImage = ImageReference | { picture: PictureSpec }

/** A picture of a clip: its first frame, or sixteen of its frames, four in a row. */
export interface StillSpec {
  kind: 'still'
  clip: ClipSpec
  variant: 'thumbnail' | 'spritesheet'
  /** The longer side of a thumbnail in pixels; by default, and at most, that of the clip. */
  maxSide?: number
}

/** What a picture must show, as flat data. The same spec is the same bytes. */
export interface PictureSpec {
  kind: 'picture'
  drawing: Drawing
  /** Which of a grid's four, from 1; without it, all of them in one picture. */
  tile?: number
  /** How far it is drawn, in percent below 100: the same picture, unfinished. */
  progress?: number
  /** The longest side in pixels, for a thumbnail. Never larger than the picture is. */
  maxSide?: number
  /** The task it is sent for. It is written into the file, and changes nothing else. */
  taskId?: string
}

/** A picture as it was received, made small enough to be drawn with. */
export interface ReceivedSpec {
  kind: 'received'
  digest: string
}

/**
 * A file that is sent as it is. Its path comes from a rule, never from a request.
 *
 * @example
 * import { resolve } from 'node:path'
 * const file: FileSpec = { kind: 'file', path: resolve('docs/images/drawing-everyday.png') }
 * const media = await sim.core.media.file?.(file)
 * media?.type // → 'image/png'
 */
export interface FileSpec {
  kind: 'file'
  /** Absolute. */
  path: string
}

/** What bytes are made from. */
export type MediaSpec = ClipSpec | StillSpec | PictureSpec | ReceivedSpec | FileSpec

/**
 * `full` moves the whole scene and is for people; `fast` is for tests; `card` is a test card for players: frame numbers,
 * a QR code, colour bars, and a flash and a beep each second.
 *
 * @example
 * const quality: Quality = 'full'
 * await using sim = createSimulator({ quality, caption: false })
 */
export type Quality = 'full' | 'fast' | 'card'

/**
 * An image that was received, by its digest; or a URL that is not fetched.
 *
 * @example
 * const nameOf = (image: ImageReference): string => ('url' in image ? image.url : image.digest)
 * nameOf({ url: 'https://pictures.example/kite.png' }) // → 'https://pictures.example/kite.png'
 */
export type ImageReference = { digest: string } | { url: string }

/** The bytes that a picture is made of: photos and masks by their names. */
export type SourceImages = ReadonlyMap<string, Uint8Array>

/** The name of a mask; the same file may have been sent as a photo, too. */
export function maskName(digest: string): string {
  return `mask ${digest}`
}
