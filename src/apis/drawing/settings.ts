import type { Workers } from '../../engine/workers.ts'
import type { Quality } from '../../media/spec.ts'
import type { TimingOptions } from '../video/lifecycle.ts'

/** The settings of the drawing API. */
export interface DrawingSettings {
  /** The billing names of the models, such as `mj_imagine`; all by default. */
  readonly models: readonly string[] | undefined
  /** How long tasks take, by billing name; by default as their mode says. */
  readonly timing: TimingOptions | undefined
  /** Whether directives such as `[[stuck]]` in a prompt are obeyed. */
  readonly promptDirectives: boolean
  readonly promptLimitCharacters: number
  readonly imageLimitBytes: number
  /** Of videos. */
  readonly quality: Quality
  readonly framesPerSecond: Readonly<Record<Quality, number>>
  /** Whether `accountFilter` is obeyed, which the gateway removes by default. */
  readonly accountFilter: boolean
  /** Whether `notifyHook` is obeyed, and which hosts it may name besides this machine; false removes it. */
  readonly notifyHook: false | { readonly allow: readonly string[] }
  /** Words that are refused in prompts. */
  readonly bannedWords: readonly string[]
}

/** A queue of bounded length, and its workers. */
export interface DrawingQueue {
  readonly workers: Workers
  readonly running: number
  readonly waiting: number
}
