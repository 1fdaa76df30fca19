import type { Drawing } from '../pictures/composition/drawing.ts'

/**
 * The content of a clip, as flat data. The same spec gives the same bytes, so it is also the cache key of the file.
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
  /** The prompt without directives. */
  prompt: string
  model: string
  /** The scene is drawn from this seed, the prompt and the model. */
  seed: string
  /** Makes the clip of each task unique, in `fast` quality and in the caption. */
  taskId: string
  /** In pixels; even numbers. */
  width: number
  height: number
  /** Whole seconds. */
  seconds: number
  framesPerSecond: number
  quality: Quality
  /** Whether prompt, model, task id and a running time code are drawn into a `full` clip. */
  caption: boolean
  /** The picture to animate, for image-to-video. */
  image?: ClipImage
  /** Further images that the clip shows after the first, each for the same time. */
  moreImages?: readonly ClipImage[]
  /** The sound; without it, there is no audio track. */
  audio?: Sound
}

/** The sounds of clips. */
export type Sound = 'silence' | 'tone' | 'ambience'

/** The sound of a clip; `none` omits the audio track. */
export type AudioOption = 'none' | Sound

/** A picture that a clip animates: a received one, or one of our own. */
export type ClipImage = ImageReference | { picture: PictureSpec }

/** A picture from a clip: its first frame, or sixteen frames in rows of four. */
export interface StillSpec {
  kind: 'still'
  clip: ClipSpec
  variant: 'thumbnail' | 'spritesheet'
  /** The longer side of a thumbnail in pixels. The default and the maximum are those of the clip. */
  maxSide?: number
}

/** The content of a picture, as flat data. The same spec gives the same bytes. */
export interface PictureSpec {
  kind: 'picture'
  drawing: Drawing
  /** The tile of a grid, from 1; without it, all four in one picture. */
  tile?: number
  /** The progress in percent, below 100, of an unfinished picture. */
  progress?: number
  /** The longest side of a thumbnail, in pixels. Never larger than the picture. */
  maxSide?: number
  /** The size in pixels, if it differs from that of the drawing. */
  size?: { width: number; height: number }
  /** Draws only the subject, on a transparent background. A picture without a subject becomes an oval. For PNG and WebP. */
  isCutOut?: true
  /** The format of the file, if it is not PNG. */
  file?: PictureFile
  /** The task whose response it is. It is written into the file, and changes nothing else. */
  taskId?: string
}

/** A file of another format than PNG. */
export interface PictureFile {
  format: 'jpeg' | 'webp'
  /** From 1, the smallest file, to 100. */
  quality: number
}

/** A received picture, made small enough for drawing. */
export interface ReceivedSpec {
  kind: 'received'
  digest: string
}

/**
 * A file that is sent unchanged. Its path comes from a rule, never from a request.
 *
 * @example
 * import { resolve } from 'node:path'
 * const file: FileSpec = { kind: 'file', path: resolve('docs/images/drawing-everyday.png') }
 * const media = await sim.core.media.file?.(file)
 * media?.type // → 'image/png'
 */
export interface FileSpec {
  kind: 'file'
  /** The absolute path. */
  path: string
}

/** The content of a sound file, as flat data. The same spec gives the same bytes. */
export interface AudioSpec {
  kind: 'audio'
  /** `wav` is a melody; `mp3` is silence, whose ancillary data come from the seed. */
  format: AudioFormat
  /** Whole seconds. */
  seconds: number
  /** What the melody is drawn from. */
  seed: string
}

/** The formats of sound files. */
export type AudioFormat = 'wav' | 'mp3'

/** Bytes that are known. */
export interface BytesSpec {
  kind: 'bytes'
  bytes: Uint8Array
  /** The media type. */
  type: string
}

/** A description of bytes to render. */
export type MediaSpec = ClipSpec | StillSpec | PictureSpec | ReceivedSpec | FileSpec | AudioSpec | BytesSpec

/**
 * The quality of a clip. `full` animates the whole scene, for people. `fast` is for tests.
 *
 * @example
 * const quality: Quality = 'full'
 * await using sim = createSimulator({ quality, caption: false })
 */
export type Quality = 'full' | 'fast'

/**
 * A received image, by its digest, or a URL that is not fetched.
 *
 * @example
 * const nameOf = (image: ImageReference): string => ('url' in image ? image.url : image.digest)
 * nameOf({ url: 'https://pictures.example/kite.png' }) // → 'https://pictures.example/kite.png'
 */
export type ImageReference = { digest: string } | { url: string }

/** The source bytes of a picture: photos and masks by their names. */
export type SourceImages = ReadonlyMap<string, Uint8Array>

/** The name of a mask. It differs from that of a photo, because the same file may have been sent as both. */
export function maskName(digest: string): string {
  return `mask ${digest}`
}
