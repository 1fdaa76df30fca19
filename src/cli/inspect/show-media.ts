import { open, readFile, stat } from 'node:fs/promises'
import { relative } from 'node:path'
import type { ReadProvenance } from '../../media/provenance/read-provenance.ts'
import type { Scene } from '../../pictures/words/description.ts'
import { readFailure } from '../../scenario/files/file-error.ts'
import { FileError, type Terminal } from '../terminal/command.ts'

type MediaType = 'image/png' | 'image/jpeg' | 'video/mp4'

const maxBytes = 256 * 1024 * 1024

const advice = 'Name a recording, or a PNG, JPEG or MP4 of greenroom.'

/**
 * Detects images and videos by the first bytes of a file.
 * @returns undefined for a recording.
 * @throws {FileError} for a file that can't be read, and for any other file.
 */
export async function findMediaType(path: string): Promise<MediaType | undefined> {
  const start = await readStart(path)
  if (start.startsWith('\x89PNG')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.slice(4) === 'ftyp') return 'video/mp4'
  if (start.startsWith('{')) return undefined
  throw new FileError(`Failed to show ${path}: it is neither a recording nor a PNG, JPEG or MP4. ${advice}`)
}

async function readStart(path: string): Promise<string> {
  try {
    const found = await stat(path)
    // A named pipe would block until another process writes to it.
    if (!found.isFile() && !found.isDirectory())
      throw new FileError(`Failed to read ${path}: it is not a file. ${advice}`)
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(8))
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(readFailure(path, error, advice))
  }
}

/**
 * Prints the provenance in an image or video: its task, model, seed and prompt. It may be forged, so it is not proof.
 * @throws {FileError} for a file without provenance of greenroom.
 */
export async function showMedia(
  path: string,
  { type, isJson }: { readonly type: MediaType; readonly isJson: boolean },
  { folder, print }: Terminal,
): Promise<void> {
  const { size } = await stat(path)
  if (size > maxBytes)
    throw new FileError(`Failed to read ${path}: it has ${size} bytes, at most ${maxBytes} are read.`)
  const bytes = await readFile(path)
  const { readProvenance, hasOwnPixels } = await import('../../media/provenance/read-provenance.ts')
  const found = readProvenance(bytes)
  if (!found) {
    throw new FileError(
      `Failed to show ${path}: it has no provenance of greenroom. ` +
        'Other software may have removed it; give the file as it was downloaded.',
    )
  }
  const isUnchanged = hasOwnPixels(bytes, found)
  const shows = await describeScene(found)
  if (isJson) {
    const { greenroom: format, pixels: _, ...rest } = found
    print(JSON.stringify({ format, type, bytes: bytes.length, ...rest, shows, isUnchanged }))
    return
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
}

/** A short description of the scene; undefined if it is unknown. */
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

/** Escapes a prompt, because a terminal would follow its escape sequences. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
}
