import { readFile } from 'node:fs/promises'
import { extname, relative, resolve } from 'node:path'
import { DurationError } from '../../engine/clock/duration.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { alphanumerics, keyedDraws } from '../../engine/random/draws.ts'
import { nodeMedia } from '../../media/node.ts'
import type { Size } from '../../media/raster/raster.ts'
import { clipDefaults, evenSize, parseSize } from '../../media/size.ts'
import { ImageRefused, type EncoderStatus, type Media, type MediaSource } from '../../media/source.ts'
import type { ClipSpec } from '../../media/spec.ts'
import { readTaskDirectives } from '../../scenario/directives.ts'
import { readFailure } from '../../files/file-error.ts'
import { environmentOptions } from '../serve/config-file.ts'
import { applyFlags, pickServerFlags } from '../serve/server-flags.ts'
import {
  type Command,
  type CommandInput,
  exitCodes,
  FileError,
  type Flags,
  readText,
  requireText,
  type Terminal,
  UsageError,
} from '../terminal/command.ts'
import { startFile } from './new-file.ts'

const { seconds, size, framesPerSecond, rendered } = clipDefaults

/** `greenroom render`: renders one clip to a file, for fixtures. */
export const render: Command = {
  options: {
    prompt: { type: 'string', demandOption: true, describe: 'Show this in the clip' },
    out: { type: 'string', demandOption: true, describe: 'Write this file, such as clip.mp4' },
    force: { type: 'boolean', describe: 'Replace the file if it exists' },
    model: { type: 'string', describe: 'Draw in the look of this model  [default: video-1]' },
    size: {
      type: 'string',
      describe: `Render at WIDTHxHEIGHT, sides from ${rendered.minSide} to ${rendered.maxSide}  [default: ${size}]`,
    },
    seconds: {
      type: 'string',
      nargs: 1,
      describe: `Render this length in seconds, 1 to ${rendered.seconds}  [default: ${seconds}]`,
    },
    fps: {
      type: 'string',
      nargs: 1,
      describe: `Render this number of frames per second, 1 to 60  [default: ${framesPerSecond.full}, ${framesPerSecond.fast} in quality fast]`,
    },
    image: { type: 'string', describe: 'Animate this image' },
    ...pickServerFlags(['seed', 'quality', 'audio', 'caption', 'cache-dir']),
  },
  epilogue: [
    'The same flags render the same clip. Directives in the prompt, such as [[stuck]], are removed.',
    `Exit codes: ${exitCodes.usage} wrong flag, ${exitCodes.badFile} a file can't be read or written, ${exitCodes.cannotStart} the clip could not be rendered, ${exitCodes.interrupted} interrupted.`,
  ],
  examples: [
    ["greenroom render --prompt 'a red kite' --out kite.mp4", 'render five seconds'],
    [
      "greenroom render --prompt 'a red kite' --out kite.mp4 --seconds 2 --quality fast",
      'render a small clip without an encoder',
    ],
  ],
  run: renderClip,
}

/**
 * Renders the clip that the flags describe.
 * @returns the exit code.
 */
async function renderClip({ flags }: CommandInput, terminal: Terminal): Promise<number> {
  const { folder, environment, interrupted } = terminal
  const specification = readSpec(flags)
  const config = applyFlags({}, flags)
  const out = resolve(folder, requireText('out', flags['out']))
  if (!['', '.mp4', '.m4v'].includes(extname(out).toLowerCase()))
    throw new UsageError(
      `--out is "${String(flags['out'])}", but clips are MP4: name a file that ends in .mp4.`,
    )
  const image = readText(flags, 'image')
  let clearProgress = (): void => {}
  const media = nodeMedia({
    ffmpeg: environmentOptions(config, environment).ffmpeg,
    cacheDir: config.cacheDir,
    onWarning: (message) => {
      terminal.progress?.('')
      terminal.warn(`warning: ${message}`)
    },
  })
  try {
    const file = await startFile(out, { replace: flags['force'] === true })
    try {
      const spec =
        image === undefined ? specification : await addImage(specification, resolve(folder, image), media)
      let frame = 0
      const what = `rendering ${spec.width}x${spec.height}`
      clearProgress = showElapsed(terminal, () => `${what}, frame ${frame} of ${countFrames(spec)}`)
      const rendered = Promise.resolve(media.clip(spec, (drawn) => void (frame = drawn)))
      const clip = await Promise.race([rendered, interrupted.then(() => undefined)])
      clearProgress()
      if (!clip) return exitCodes.interrupted
      await file.put(clip.bytes)
      terminal.print(describeClip(relative(folder, out), spec, clip, media.encoder()))
      return exitCodes.ok
    } finally {
      clearProgress()
      await file.close()
    }
  } finally {
    await media.close()
  }
}

/**
 * Reads the spec of the clip. The same flags give the same task id, and so the same clip.
 * @throws {UsageError} for an invalid value.
 */
function readSpec(flags: Flags): ClipSpec {
  const lengths = { min: 1, max: rendered.seconds }
  const { seed = '1', quality = 'full', caption = true, audio = 'none' } = applyFlags({}, flags)
  const look = {
    prompt: readPrompt(requireText('prompt', flags['prompt'])),
    model: readText(flags, 'model') ?? 'video-1',
    seed: String(seed),
    ...readSize(readText(flags, 'size') ?? size),
    seconds: readWholeNumber('seconds', flags['seconds'] ?? seconds, lengths),
    framesPerSecond: readWholeNumber('fps', flags['fps'] ?? framesPerSecond[quality], { min: 1, max: 60 }),
    quality,
    caption,
    ...(audio !== 'none' && { audio }),
  }
  const taskId = `task_${keyedDraws(seed).text(alphanumerics, 32, 'render.id', JSON.stringify(look), 0)}`
  return { kind: 'clip', ...look, taskId }
}

function readPrompt(text: string): string {
  const limit = clipDefaults.promptLimitCharacters
  if (text.length > limit) {
    throw new UsageError(`--prompt has ${text.length} characters. Give at most ${limit}.`)
  }
  const prompt = removeDirectives(text)
  if (prompt.trim() !== '') return prompt
  throw new UsageError(`--prompt is "${text.slice(0, 60)}", which shows nothing. Describe the clip.`)
}

/** Removes directives from a prompt, because they concern a task, not its clip. */
function removeDirectives(text: string): string {
  try {
    return readTaskDirectives(text).prompt
  } catch (error) {
    if (error instanceof DurationError) throw new UsageError(`--prompt is invalid: ${error.message}`)
    throw error
  }
}

function readSize(text: string): Size {
  const { minSide: min, maxSide: max } = rendered
  const parsed = parseSize(text)
  const sides = parsed ? Object.values(evenSize(parsed)) : []
  if (parsed && sides.every((side) => side >= min && side <= max)) return evenSize(parsed)
  throw new UsageError(
    `--size is "${text}". Use WIDTHxHEIGHT with sides from ${min} to ${max} pixels, such as ${size}.`,
  )
}

function readWholeNumber(name: string, value: unknown, { min, max }: { min: number; max: number }): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new UsageError(`--${name} is "${String(value)}": must be a whole number from ${min} to ${max}.`)
}

async function addImage(spec: ClipSpec, path: string, media: MediaSource): Promise<ClipSpec> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new FileError(readFailure(path, error, 'Name an image.'))
  })
  try {
    return { ...spec, image: { digest: (await media.receiveImage(bytes)).digest } }
  } catch (error) {
    if (error instanceof ImageRefused) throw new FileError(`Failed to use ${path}: ${error.message}`)
    throw error
  }
}

/**
 * Shows a progress line with the elapsed time.
 * @returns a function that removes it.
 */
function showElapsed({ progress }: Terminal, describe: () => string): () => void {
  if (!progress) return () => {}
  const startMs = hostTimers.elapsedMs()
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  const show = (): void => {
    progress(`${describe()}: ${((hostTimers.elapsedMs() - startMs) / 1_000).toFixed(1)} s`)
    timer = hostTimers.setTimeout(show, 100)
  }
  show()
  return () => {
    hostTimers.clearTimeout(timer)
    progress('')
  }
}

function describeClip(path: string, spec: ClipSpec, { bytes }: Media, encoder: EncoderStatus): string {
  return `${path}

  size     ${spec.width}x${spec.height}
  length   ${spec.seconds} s, ${countFrames(spec)} frames
  bytes    ${bytes.length}
  encoder  ${describeEncoder(spec, encoder)}`
}

function describeEncoder({ quality }: ClipSpec, { candidate, verified, version }: EncoderStatus): string {
  if (quality !== 'full') return `none: ${quality} clips need none`
  // The encoder never ran, so an earlier run rendered the clip.
  return verified ? `${candidate} (${version})` : `${candidate}; the clip was in the cache`
}

function countFrames({ seconds, framesPerSecond }: ClipSpec): number {
  return seconds * framesPerSecond
}
