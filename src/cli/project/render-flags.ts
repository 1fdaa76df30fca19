import { resolve } from 'node:path'
import type { Options } from 'yargs'
import { alphanumerics, keyedDraws } from '../../engine/random/draws.ts'
import { DurationError } from '../../engine/clock/duration.ts'
import type { ClipSpec } from '../../media/spec.ts'
import { readMagic } from '../../scenario/magic.ts'
import { videoDefaults } from '../../apis/video/settings.ts'
import { evenSize, parseSize, type Size } from '../../apis/video/size.ts'
import { UsageError, type Terminal } from '../terminal/command.ts'
import { applyFlags, configFlags, textOf } from '../terminal/flags.ts'

const { seconds, size, framesPerSecond } = videoDefaults
const framesPerSecondBounds = { min: 1, max: 60 }

/** The flags of `render`. Those that `serve` has, too, mean the same. */
export const renderFlags: Readonly<Record<string, Options>> = {
  prompt: { type: 'string', demandOption: true, describe: 'What the clip shows' },
  out: { type: 'string', demandOption: true, describe: 'The file to write, such as clip.mp4' },
  force: { type: 'boolean', describe: 'Replace the file if it is there' },
  model: { type: 'string', describe: 'The model; each has a look of its own  [default: video-1]' },
  size: {
    type: 'string',
    describe: `WIDTHxHEIGHT, sides from ${size.min} to ${size.max}  [default: ${size.default}]`,
  },
  seconds: {
    type: 'number',
    nargs: 1,
    describe: `The length, ${seconds.min} to ${seconds.max}  [default: ${seconds.default}]`,
  },
  fps: {
    type: 'number',
    nargs: 1,
    describe: `Frames per second, 1 to 60  [default: ${framesPerSecond.full}, ${framesPerSecond.fast} in quality fast]`,
  },
  image: { type: 'string', describe: 'A picture to set in motion' },
  ...Object.fromEntries(
    ['seed', 'quality', 'caption', 'ffmpeg', 'cache-dir', 'cache'].map((name) => [
      name,
      configFlags[name]!.options,
    ]),
  ),
}

/** What `render` was asked for. */
export interface RenderRequest {
  readonly spec: ClipSpec
  readonly out: string
  /** Whether a file that is there may be replaced. */
  readonly replace: boolean
  /** The file of the picture to set in motion. */
  readonly image: string | undefined
  readonly ffmpeg: string | undefined
  readonly cacheDir: string | false | undefined
}

/**
 * Reads the flags of `render`. The same flags ask for the same clip: its task id, too, comes from what it shows.
 * @throws {UsageError} for a value that can't be.
 */
export function readRenderFlags(
  flags: Readonly<Record<string, unknown>>,
  { folder, environment }: Pick<Terminal, 'folder' | 'environment'>,
): RenderRequest {
  const { seed = '1', quality = 'full', caption = true, ffmpeg, cacheDir } = applyFlags({}, flags)
  const prompt = promptOf(textOf('prompt', flags['prompt']))
  const model = flags['model'] === undefined ? 'video-1' : textOf('model', flags['model'])
  const look = {
    prompt,
    model,
    seed: String(seed),
    ...sizeOf(flags['size']),
    seconds: wholeNumberOf('seconds', flags['seconds'] ?? seconds.default, seconds),
    framesPerSecond: wholeNumberOf('fps', flags['fps'] ?? framesPerSecond[quality], framesPerSecondBounds),
    quality,
    caption,
  }
  const taskId = `task_${keyedDraws(seed).text(alphanumerics, 32, 'render.id', JSON.stringify(look), 0)}`
  return {
    spec: { kind: 'clip', ...look, taskId },
    out: resolve(folder, textOf('out', flags['out'])),
    replace: flags['force'] === true,
    image: flags['image'] === undefined ? undefined : resolve(folder, textOf('image', flags['image'])),
    ffmpeg: ffmpeg ?? (environment['GREENROOM_FFMPEG'] || undefined),
    cacheDir,
  }
}

function promptOf(text: string): string {
  const limit = videoDefaults.promptLimitCharacters
  if (text.length > limit) {
    throw new UsageError(`--prompt has ${text.length} characters. Give at most ${limit}.`)
  }
  const prompt = withoutDirectives(text)
  if (prompt.trim() !== '') return prompt
  throw new UsageError(
    `--prompt is "${text.slice(0, 60)}", which shows nothing. Say what the clip is to show.`,
  )
}

/** A prompt that a client sends can be tried here as it stands; its directives are about a task, not about a picture. */
function withoutDirectives(text: string): string {
  try {
    return readMagic(text).prompt
  } catch (error) {
    if (error instanceof DurationError) throw new UsageError(`--prompt can't be taken: ${error.message}`)
    throw error
  }
}

function sizeOf(value: unknown): Size {
  const text = value === undefined ? size.default : textOf('size', value)
  const asked = parseSize(text)
  const sides = asked ? Object.values(evenSize(asked)) : []
  if (asked && sides.every((side) => side >= size.min && side <= size.max)) return evenSize(asked)
  throw new UsageError(
    `--size is "${text}". Use WIDTHxHEIGHT with sides from ${size.min} to ${size.max} pixels, such as ${size.default}.`,
  )
}

function wholeNumberOf(name: string, value: unknown, { min, max }: { min: number; max: number }): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not ${String(value)}.`)
}
