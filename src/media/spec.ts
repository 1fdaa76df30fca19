/**
 * What a clip must show, as flat data. The same spec is the same bytes, so it is also the name under which
 * the finished file is kept. Nothing here is read from the request again: prompt text stays text.
 */
export interface ClipSpec {
  /** The prompt without magic directives. */
  prompt: string
  model: string
  /** What the scene is drawn from, beside prompt and model. */
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
  image?: ImageReference
}

/** `full` moves the whole scene and is for people; `fast` is for tests. */
export type Quality = 'full' | 'fast'

/** A picture that was received and kept under its digest, or an address that is only drawn from. */
export type ImageReference = { digest: string } | { url: string }
