import { bytesOf, caps } from '../../../engine/caps.ts'
import * as z from 'zod/mini'
import type {
  GatewayOptions,
  ModelSettings,
  Timing,
  TimingOptions,
} from '../../../scenario/vocabulary/types.ts'
import type { AudioOption, Quality } from '../../../media/spec.ts'
import { checkDuration } from '../../../engine/random/distribution.ts'
import { DurationError } from '../../../engine/clock/duration.ts'
import { clipDefaults, parseSize, type RenderLimits } from '../../../media/size.ts'
import { SettingsError } from '../../../scenario/options.ts'
import type { Core } from '../../../gateway/core.ts'
import { may } from '../../../scenario/schema/fields.ts'
import { list, positive, sizeText, wholeNumber } from '../../../scenario/schema/values.ts'

/** What options, config and scenario files set of all jobs. @param own further keys of `video`. */
const jobOptions = <Own extends z.core.$ZodLooseShape>(own: Own) => ({
  video: may(
    z.lazy(() =>
      z.strictObject({
        seconds: may(
          z.strictObject({
            default: may(positive(), 'The length if a request has none. Default 5.', 5),
            max: may(
              positive(3600),
              'The maximum length, which is rendered in full. Default: 3600 is accepted, and 60 rendered.',
              60,
            ),
          }),
          'The accepted lengths, in whole seconds.',
          { default: 5, max: 60 },
        ),
        size: may(
          z.strictObject({
            default: may(sizeText, 'The size if a request has none. Default 1280x720.', '1280x720'),
            max: may(
              wholeNumber(1, 4096),
              'The longest side, in pixels. Default: 16384 is accepted, and 1920 rendered.',
              1920,
            ),
          }),
          'The accepted sizes.',
          { default: '1280x720' },
        ),
        ...own,
      }),
    ),
    'Lengths, sizes and lifecycle of videos.',
    { seconds: { default: 5, max: 60 } },
  ),
})

/** The settings of jobs, which one API brings for all of them. @param own its own keys of `video`. */
export const settingsOfJobs = <Own extends z.core.$ZodLooseShape>(own: Own) => ({
  options: jobOptions(own),
  models: {
    image: may(z.boolean(), 'Whether the model accepts an `image`. Default true.', false),
    seconds: may(
      list(positive(), 1),
      'The lengths that the model offers, in seconds. Default: every accepted length.',
      [5, 10],
    ),
    sizes: may(
      list(sizeText, 1),
      'The sizes that the model offers, as `WIDTHxHEIGHT`. Default: every accepted size.',
      ['1280x720', '720x1280'],
    ),
  },
  steps: {
    seconds: may(positive(), 'The length of videos in seconds.', 4),
    size: may(sizeText, 'The size of videos as `WIDTHxHEIGHT`.', '640x360'),
  },
})

// The API that brings these settings may be removed, and with it their keys in the types of the vocabulary. Jobs have them all the same.

/** A configured model, with what jobs read of it. */
export type JobModel = ModelSettings & {
  readonly image?: boolean
  readonly seconds?: readonly number[]
  readonly sizes?: readonly string[]
}

/** The options that jobs read. */
type JobOptions = GatewayOptions & {
  readonly models?: readonly JobModel[]
  readonly video?: {
    readonly seconds?: { readonly default?: number; readonly max?: number }
    readonly size?: { readonly default?: string; readonly max?: number }
  }
}

/** The settings of all APIs of jobs. */
export interface JobSettings {
  /** The configured models; if empty, every name is accepted. */
  readonly models: readonly JobModel[]
  /** The accepted lengths, in whole seconds. */
  readonly seconds: { readonly default: number; readonly min: number; readonly max: number }
  /** The accepted sizes, in pixels: the default as `WIDTHxHEIGHT`, and the bounds of each side. */
  readonly size: { readonly default: string; readonly min: number; readonly max: number }
  /** The limits of rendering: beyond them, a clip is shorter or smaller than requested, with the same proportions. */
  readonly rendered: RenderLimits
  readonly framesPerSecond: Readonly<Record<Quality, number>>
  readonly quality: Quality
  /** Whether `full` clips show prompt, model, task id and a time code. */
  readonly caption: boolean
  /** The sound of videos. */
  readonly audio: AudioOption
  /** The timing of tasks, by model. Default: that of the lifecycle. */
  readonly timing: TimingOptions | undefined
  /** Whether directives in a prompt take effect, such as `[[stuck]]`. */
  readonly promptDirectives: boolean
  readonly promptLimitCharacters: number
  readonly imageLimitBytes: number
}

export const jobDefaults: JobSettings = {
  models: [],
  /** @assumed §8 the longest video is undocumented; wire §3.1: an hour. */
  seconds: { default: clipDefaults.seconds, min: 1, max: 3_600 },
  size: { default: clipDefaults.size, min: 1, max: 16_384 },
  rendered: clipDefaults.rendered,
  framesPerSecond: clipDefaults.framesPerSecond,
  quality: 'full',
  caption: true,
  audio: 'none',
  timing: undefined,
  promptDirectives: true,
  promptLimitCharacters: clipDefaults.promptLimitCharacters,
  imageLimitBytes: caps.imageBytes,
}

/** The settings of a simulator. @throws {SettingsError} for contradictory ones. */
export function jobSettings(core: Core): JobSettings {
  const { video = {}, limits = {}, ...options }: JobOptions = core.options
  const settings: JobSettings = {
    models: options.models ?? jobDefaults.models,
    seconds: { ...jobDefaults.seconds, ...video.seconds },
    size: { ...jobDefaults.size, ...video.size },
    // A config that raises a limit also gets clips up to that limit.
    rendered: {
      seconds: video.seconds?.max ?? jobDefaults.rendered.seconds,
      minSide: jobDefaults.rendered.minSide,
      maxSide: video.size?.max ?? jobDefaults.rendered.maxSide,
    },
    framesPerSecond: jobDefaults.framesPerSecond,
    quality: options.quality ?? jobDefaults.quality,
    caption: options.caption ?? jobDefaults.caption,
    audio: options.audio ?? jobDefaults.audio,
    timing: options.timing,
    promptDirectives: options.promptDirectives ?? jobDefaults.promptDirectives,
    promptLimitCharacters: limits.promptCharacters ?? jobDefaults.promptLimitCharacters,
    imageLimitBytes: bytesOf(limits.imageMegabytes, caps.imageBytes),
  }
  checkSettings(settings)
  return settings
}

/**
 * Finds settings that would make every request fail.
 * @throws {SettingsError} for a default outside the bounds, reversed bounds, or an invalid size.
 */
function checkSettings({ seconds, size, models, timing }: JobSettings): void {
  checkTiming(timing)
  const within = (value: number, { min, max }: { min: number; max: number }): boolean =>
    value >= min && value <= max
  if (!within(seconds.default, seconds)) {
    throw new SettingsError(
      `video.seconds.default is ${seconds.default}, outside ${seconds.min} to ${seconds.max}. Change one of them.`,
    )
  }
  const sizes: [string, string][] = [['video.size.default', size.default]]
  for (const model of models)
    for (const each of model.sizes ?? []) sizes.push([`a size of model ${model.name}`, each])
  for (const [key, text] of sizes) {
    const parsed = parseSize(text)
    if (parsed && within(parsed.width, size) && within(parsed.height, size)) continue
    throw new SettingsError(
      `${key} is "${text}". Use WIDTHxHEIGHT with sides from ${size.min} to ${size.max} (video.size.max).`,
    )
  }
  for (const model of models) {
    const odd = model.seconds?.find((each) => !within(each, seconds))
    if (odd === undefined) continue
    throw new SettingsError(
      `Model ${model.name} makes clips of ${odd} seconds, outside video.seconds ${seconds.min} to ${seconds.max}.`,
    )
  }
}

/** The schema takes the name of a pace as a duration, because a model may be called `queued`. */
function checkTiming(timing: TimingOptions | undefined): void {
  if (typeof timing !== 'object') return
  const { queued, render } = timing as Partial<Timing>
  try {
    for (const spec of [queued, render]) if (spec !== undefined) checkDuration(spec)
  } catch (error) {
    if (!(error instanceof DurationError)) throw error
    throw new SettingsError(`timing: ${error.message}.`)
  }
}
