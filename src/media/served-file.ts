import { constants, type Stats } from 'node:fs'
import { open, realpath, type FileHandle } from 'node:fs/promises'
import { dirname, extname, isAbsolute, relative } from 'node:path'
import { hexDigestOf } from './cache/digest.ts'
import { formatProblem, servedTypes, signatureBytes } from './media-format.ts'
import { RenderFailed, type Media } from './source.ts'
import type { FileSpec } from './spec.ts'

/** It is held in memory while it is sent. */
export const maxBytes = 256 * 1024 * 1024

/** A named pipe would block until something writes to it. Windows has neither. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * The bytes of a file that a rule serves in place of a video or picture, read at each request.
 * @throws {RenderFailed} when it can't be read, is too large, is no picture or video by its name and first bytes, or is a
 * symbolic link that leaves its folder.
 */
export async function servedFile({ path }: FileSpec): Promise<Media> {
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
    const problem = sizeProblem(await file.stat())
    if (problem !== undefined) throw failed(problem)
    const bytes = await file.readFile()
    const mismatch = formatProblem(extension, bytes.subarray(0, signatureBytes))
    if (mismatch !== undefined) throw failed(mismatch)
    return { bytes, type, etag: `"${await hexDigestOf(bytes)}"` }
  } finally {
    await file.close()
  }
}

/** Whether a path is a folder's or lies in it. Both must be without symbolic links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way)
}

function sizeProblem(found: Stats): string | undefined {
  if (!found.isFile()) return 'it is no file'
  return found.size > maxBytes ? `it has ${found.size} bytes, at most ${maxBytes} are served` : undefined
}
