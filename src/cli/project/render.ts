import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { nodeMedia } from '../../media/node.ts'
import { ImageRefused, type EncoderStatus, type Media, type MediaSource } from '../../media/source.ts'
import type { ClipSpec } from '../../media/spec.ts'
import { exitCodes, FileError, type Command, type Terminal } from '../terminal/command.ts'
import { showElapsed } from '../terminal/elapsed-line.ts'
import { beginFile } from '../terminal/new-file.ts'
import { readRenderFlags, renderFlags, type RenderRequest } from './render-flags.ts'

/** `greenroom render`: one clip in a file, for fixtures of one's own. */
export const render: Command = {
  name: 'render',
  summary: 'make one clip and write it to a file',
  options: renderFlags,
  epilogue: `The same flags make the same clip. Directives in the prompt, such as [[stuck]], are left out.

Exit codes: ${exitCodes.usage} a flag is wrong, ${exitCodes.badFile} a file can't be read or written, ${exitCodes.cannotStart} the clip could not be made, ${exitCodes.interrupted} interrupted.`,
  run: async (flags, terminal) => {
    const request = readRenderFlags(flags, terminal)
    let endLine = (): void => {}
    const media = nodeMedia({
      ffmpeg: request.ffmpeg,
      cacheDir: request.cacheDir,
      onWarning: (message) => {
        terminal.progress?.('')
        terminal.warn(`greenroom: ${message}`)
      },
    })
    try {
      const file = await beginFile(request.out, { replace: request.replace })
      try {
        const spec = await withPicture(request, media)
        let frame = 0
        const size = `${spec.width}x${spec.height}`
        endLine = showElapsed(terminal, () => `rendering ${size}, frame ${frame} of ${framesOf(spec)}`)
        const rendered = Promise.resolve(media.clip(spec, (drawn) => void (frame = drawn)))
        const clip = await unlessInterrupted(rendered, terminal)
        endLine()
        if (!clip) return exitCodes.interrupted
        await file.put(clip.bytes)
        terminal.print(report(request, spec, clip, { encoder: media.encoder(), folder: terminal.folder }))
        return exitCodes.ok
      } finally {
        endLine()
        await file.close()
      }
    } finally {
      await media.close()
    }
  },
}

async function withPicture({ spec, image }: RenderRequest, media: MediaSource): Promise<ClipSpec> {
  if (image === undefined) return spec
  const bytes = await readFile(image).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'it is not there' : error.message
    throw new FileError(`Failed to read ${image}: ${why}. Give the path of a picture.`)
  })
  try {
    return { ...spec, image: { digest: (await media.receiveImage(bytes)).digest } }
  } catch (error) {
    if (error instanceof ImageRefused) throw new FileError(`Failed to use ${image}: ${error.message}`)
    throw error
  }
}

function unlessInterrupted(clip: Promise<Media>, { interrupted }: Terminal): Promise<Media | undefined> {
  return Promise.race([clip, interrupted.then(() => undefined)])
}

function report(
  { out }: RenderRequest,
  spec: ClipSpec,
  { bytes }: Media,
  { encoder, folder }: { encoder: EncoderStatus; folder: string },
): string {
  return `${relative(folder, out)}

  size     ${spec.width}x${spec.height}
  length   ${spec.seconds} s, ${framesOf(spec)} frames
  bytes    ${bytes.length}
  encoder  ${encoderWords(spec, encoder)}`
}

function encoderWords({ quality }: ClipSpec, { candidate, verified, version }: EncoderStatus): string {
  if (quality === 'fast') return 'none: fast clips need none'
  // An encoder that was never started made nothing: the clip was made by an earlier run.
  return verified ? `${candidate} (${version})` : `${candidate}; the clip was in the cache`
}

function framesOf({ seconds, framesPerSecond }: ClipSpec): number {
  return seconds * framesPerSecond
}
