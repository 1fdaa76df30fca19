import { constants, type BigIntStats } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative } from 'node:path'
import { hexDigestOf } from './cache/digest.ts'
import { pictureFormat } from './raster/raster.ts'
import { type Media, RenderFailed } from './source.ts'
import type { FileSpec } from './spec.ts'

/** The maximum size of a served file. It is in memory while it is sent, once for all readers. */
export const maxBytes = 256 * 1024 * 1024

/** Non-blocking: a named pipe would block until another process writes to it. Windows has neither. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Reads a file that a rule serves in place of a video or picture. It is read for each request.
 * @throws {RenderFailed} if it can't be read, is too large, is not a picture or video by its name and first bytes, or is a
 * symbolic link that leaves its folder.
 */
export async function readServedFile({ path }: FileSpec): Promise<Media> {
  const failed = (why: string): RenderFailed => new RenderFailed(`Failed to serve ${path}: ${why}.`)
  const extension = extname(path).toLowerCase()
  if (!isAbsolute(path)) throw failed('its path is not absolute')
  const type = servedTypes.get(extension)
  if (type === undefined) throw failed(formatProblem(extension, new Uint8Array())!)
  let file: FileHandle
  try {
    const [real, folder] = await Promise.all([realpath(path), realpath(dirname(path))])
    if (!isInside(folder, real)) throw failed(`it is a symbolic link to ${real}. Name that file`)
    file = await open(real, openFlags)
  } catch (error) {
    if (error instanceof RenderFailed) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw failed(code === 'ENOENT' ? 'there is no such file' : (code ?? message))
  }
  try {
    const stats = await file.stat({ bigint: true })
    const problem = sizeProblem(stats)
    if (problem !== undefined) throw failed(problem)
    return await share(path, [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(), async () => {
      const bytes = await file.readFile()
      const mismatch = formatProblem(extension, bytes.subarray(0, signatureBytes))
      if (mismatch !== undefined) throw failed(mismatch)
      return { bytes, type, etag: `"${await hexDigestOf(bytes)}"` }
    })
  } finally {
    await file.close()
  }
}

/** A file that is being read, or whose bytes a response may still hold. */
interface SharedFile {
  readonly version: string
  reading: Promise<Media> | undefined
  read?: { media: Omit<Media, 'bytes'>; buffer: WeakRef<ArrayBufferLike>; at: number; length: number }
}

/** By path. Without sharing, each slow reader of a large file would hold a copy. */
const sharedFiles = new Map<string, SharedFile>()

async function share(path: string, version: string, read: () => Promise<Media>): Promise<Media> {
  const known = sharedFiles.get(path)
  const inMemory = known?.version === version ? (known.reading ?? mediaInMemory(known)) : undefined
  if (inMemory) return inMemory
  const file: SharedFile = { version, reading: read() }
  sharedFiles.set(path, file)
  try {
    const { bytes, ...media } = (await file.reading)!
    file.read = { media, buffer: new WeakRef(bytes.buffer), at: bytes.byteOffset, length: bytes.length }
    return { bytes, ...media }
  } finally {
    file.reading = undefined
  }
}

function mediaInMemory({ read }: SharedFile): Media | undefined {
  const buffer = read?.buffer.deref()
  return buffer && { ...read!.media, bytes: new Uint8Array(buffer, read!.at, read!.length) }
}

/** Whether a path is a folder or inside it. Neither may contain symbolic links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way)
}

function sizeProblem(found: BigIntStats): string | undefined {
  if (!found.isFile()) return 'it is not a file'
  return found.size > maxBytes ? `it has ${found.size} bytes, at most ${maxBytes} are served` : undefined
}

/** The types of files that rules may serve, by file extension. */
const servedTypes: ReadonlyMap<string, string> = new Map([
  ['.mp4', 'video/mp4'],
  ['.m4v', 'video/mp4'],
  ['.webm', 'video/webm'],
  ['.mov', 'video/quicktime'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.avif', 'image/avif'],
])

/** How many bytes of a file determine its format. */
export const signatureBytes = 16

/**
 * Why a file may not be served; undefined if it may. Its extension and first bytes must be those of the same kind of video
 * or picture, so that a rule can't serve other files.
 *
 * @param extension such as `.mp4`, in lower case.
 * @param start the first bytes of the file.
 */
export function formatProblem(extension: string, start: Uint8Array): string | undefined {
  const type = servedTypes.get(extension)
  if (type === undefined) return `its name must end in ${[...servedTypes.keys()].join(', ')}`
  const family = familyOf(start)
  if (family === undefined) return 'its first bytes are those of no video or picture'
  return familyOfType(type) === family ? undefined : `its name ends in ${extension}, but it is ${family}`
}

/** MP4 and QuickTime have the same structure, and both extensions are used for both. */
function familyOfType(type: string): string {
  return type === 'video/quicktime' ? 'video/mp4' : type
}

function familyOf(start: Uint8Array): string | undefined {
  const picture = pictureFormat(start)
  if (picture === 'tiff') return undefined
  if (picture) return picture === 'heif' ? 'image/avif' : `image/${picture}`
  const text = String.fromCharCode(...start.subarray(0, signatureBytes))
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'video/webm'
  const box = text.slice(4, 8)
  if (box === 'ftyp') return /^(?:hei|mif|msf)/.test(text.slice(8)) ? undefined : 'video/mp4'
  // QuickTime files that are older than brands.
  return ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(box) ? 'video/mp4' : undefined
}
