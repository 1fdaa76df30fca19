import type { Quality } from '../../media/spec.ts'

/** What the video surface can be told. */
export interface VideoSettings {
  /** The models there are; when empty, every name is taken. */
  readonly models: readonly ModelSettings[]
  /** Lengths of clips, in whole seconds. */
  readonly seconds: { readonly default: number; readonly min: number; readonly max: number }
  /** Sizes of clips, in pixels: the default as `WIDTHxHEIGHT`, bounds of either side. */
  readonly size: { readonly default: string; readonly min: number; readonly max: number }
  readonly framesPerSecond: Readonly<Record<Quality, number>>
  readonly quality: Quality
  /** Whether `full` clips carry prompt, model, task id and a time code. */
  readonly caption: boolean
  /** Whether directives such as `[[stuck]]` in a prompt are obeyed. */
  readonly magicPrompts: boolean
  readonly promptLimitCharacters: number
  readonly imageLimitBytes: number
}

/** One model of the configured list. */
export interface ModelSettings {
  readonly name: string
  /** Whether it takes an `image`. By default it does. */
  readonly image?: boolean
  /** The lengths it makes; when missing, all within the bounds. */
  readonly seconds?: readonly number[]
  /** The sizes it makes, as `WIDTHxHEIGHT`; when missing, all within the bounds. */
  readonly sizes?: readonly string[]
}

export const videoDefaults: VideoSettings = {
  models: [],
  seconds: { default: 5, min: 1, max: 60 },
  size: { default: '1280x720', min: 64, max: 1920 },
  framesPerSecond: { full: 24, fast: 12 },
  quality: 'full',
  caption: true,
  magicPrompts: true,
  promptLimitCharacters: 32_000,
  imageLimitBytes: 20 * 1024 * 1024,
}
