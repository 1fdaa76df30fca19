import { readFile, stat } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import type { ReadProvenance } from '../../media/provenance/read-provenance.ts'
import type { Scene } from '../../pictures/words/description.ts'
import { describeFileError } from '../../scenario/files/file-error.ts'
import { exitCodes, FileError, type Command } from '../terminal/command.ts'

/** `greenroom inspect`: what a PNG or MP4 of greenroom says about itself. */
export const inspect: Command = {
  argumentHelp: 'PNG or MP4 of greenroom',
  options: { json: { type: 'boolean', describe: 'Print it as one line of JSON' } },
  epilogue: [
    'Reads only the file, which needs no server. It may be forged, so it is a hint, not proof.',
    `Exit codes: ${exitCodes.badFile} the file can't be read, or was not made by greenroom.`,
  ],
  examples: [['greenroom inspect clip.mp4', 'show the origin of a video']],
  run: async ({ flags, args }, { folder, print }) => {
    const path = resolve(folder, args[0]!)
    const { bytes, type } = await readMedia(path)
    const { readProvenance, hasOwnPixels } = await import('../../media/provenance/read-provenance.ts')
    const found = readProvenance(bytes)
    if (!found) {
      throw new FileError(
        `Failed to inspect ${path}: it has no provenance of greenroom. ` +
          'Other software may have removed it; give the file as it was downloaded.',
      )
    }
    const isUnchanged = hasOwnPixels(bytes, found)
    const shows = await describeScene(found)
    if (flags['json'] === true) {
      const { greenroom: format, pixels: _, ...rest } = found
      print(JSON.stringify({ format, type, bytes: bytes.length, ...rest, shows, isUnchanged }))
      return exitCodes.ok
    }
    const lines: [name: string, value: string | undefined][] = [
      ['type', `${type}, ${bytes.length} bytes`],
      ['task', found.task],
      ['model', found.model],
      ['seed', found.seed],
      ['prompt', found.prompt],
      ['shows', shows],
      ['pixels', isUnchanged ? undefined : 'changed since it was made'],
    ]
    print(`${relative(folder, path)}\n`)
    for (const [name, value] of lines) if (value) print(`  ${name.padEnd(8)} ${printable(value)}`)
    return exitCodes.ok
  },
}

async function readMedia(path: string): Promise<{ bytes: Uint8Array; type: string }> {
  const failed = (why: string): FileError =>
    new FileError(`Failed to inspect ${path}: ${why}. Name a PNG or MP4 of greenroom.`)
  try {
    const found = await stat(path)
    // A named pipe would block until something writes to it.
    if (!found.isFile()) throw failed(found.isDirectory() ? 'it is a folder' : 'it is not a file')
    if (found.size > maxBytes) throw failed(`it has ${found.size} bytes, at most ${maxBytes} are read`)
    const bytes = await readFile(path)
    const start = bytes.toString('latin1', 0, 8)
    if (start.startsWith('\x89PNG')) return { bytes, type: 'image/png' }
    if (start.slice(4) === 'ftyp') return { bytes, type: 'video/mp4' }
  } catch (error) {
    throw error instanceof FileError ? error : failed(describeFileError(error))
  }
  throw failed('it is neither a PNG nor an MP4')
}

const maxBytes = 256 * 1024 * 1024

/** What the scene shows, in a few words; undefined if it isn't known. */
async function describeScene(found: ReadProvenance): Promise<string | undefined> {
  const { toDrawing } = await import('../../media/provenance/read-provenance.ts')
  const { scene = {}, prompt = '', model, seed = '' } = found
  const { width, height } = scene
  if (scene['kind'] !== 'picture' && typeof width === 'number' && typeof height === 'number') {
    if (scene['image'] !== undefined) return 'an image in motion'
    const { sceneOf } = await import('../../pictures/places/scene.ts')
    return describe(sceneOf({ prompt, ...(model !== undefined && { model }), seed, width, height }))
  }
  const drawing = toDrawing(scene)
  if (!drawing) return undefined
  const { picturesOf } = await import('../../pictures/composition/pictures-of.ts')
  return [...new Set(picturesOf(drawing).map(({ world }) => describe(world)))].join('; ')
}

function describe({ family, cast = [], weather, time }: Scene): string {
  const members = cast.map(({ icon, letters, count }) => {
    const name = letters === undefined ? (icon ?? '') : `the letters "${letters}"`
    return count > 1 ? `${count} ${name}` : name
  })
  return [...members, family, weather, time].filter(Boolean).join(', ')
}

/** A prompt may contain escape sequences, which a terminal would follow. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
