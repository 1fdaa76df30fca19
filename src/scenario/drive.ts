/** What the reference client does, by the surface that it speaks to. */
export const flows = [
  'video',
  'openai-video',
  'drawing',
  'text',
  'text-stream',
  'chat',
  'chat-stream',
] as const
export type Flow = (typeof flows)[number]

/** Against what a download is checked: nothing, its announced length, or that and its entity tag. */
export const verifications = ['none', 'length', 'etag'] as const
export type Verification = (typeof verifications)[number]

/**
 * One thing that the reference client does. Steps follow one another; the tasks of one step run at the same time.
 *
 * @example
 * const step: DriveStep = { flow: 'drawing', prompt: 'a lighthouse at dusk', actions: ['upscale 2', 'repaint'] }
 */
export interface DriveStep {
  /** What is made, and in which dialect it is asked for. */
  flow: Flow
  /** Default: `video-1` for videos, `sim-text-1` for texts. */
  model?: string
  /** Default `a paper boat in the rain`. Of several, all but the first say which they are: `…, take 2`. */
  prompt?: string
  /** How many times, at the same time. Default 1. */
  n?: number
  /** Whether all are submitted at the same moment; otherwise each when the one before was answered. */
  submitTogether?: boolean
  /** How long it waits between two looks at a task. Default `5s`. */
  pollEvery?: string | number
  /** After how long it gives a task up, since its submission. Default `10m`. */
  giveUpAfter?: string | number
  /** How often it asks again for an answer that was refused for now, lost or broken. Default 5. */
  retries?: number
  /** How it checks downloads. Default `etag`. */
  verify?: Verification
  /** Whether finished tasks are downloaded. Default true. */
  download?: boolean
  /** Of videos: the length in seconds, and the size as `WIDTHxHEIGHT`. */
  seconds?: number
  size?: string
  /**
   * Of drawings, one after the other, each on the latest result that has such a button: `upscale 2`, `vary 3`, `zoom 2`,
   * `pan left`, `repaint`, `animate`, or the words on a button.
   */
  actions?: readonly string[]
}
