import { open } from 'node:fs/promises'
import { extname, isAbsolute } from 'node:path'
import { hexDigestOf } from './digest.ts'
import { RenderFailed, type Media } from './source.ts'
import type { FileSpec } from './spec.ts'

/** What is served, by the end of a file's name. Nothing else is: a rule is no way to read any file. */
const types: ReadonlyMap<string, string> = new Map([
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

/** It is held in memory while it is sent. */
export const mostBytes = 256 * 1024 * 1024

/**
 * The bytes of a file that a rule serves in place of a film or picture, read anew each time.
 * @throws {RenderFailed} when it can't be read, is too large, or is no picture or film by its name.
 */
export async function servedFile({ path }: FileSpec): Promise<Media> {
  const failed = (why: string): RenderFailed => new RenderFailed(`Failed to serve ${path}: ${why}`)
  const type = types.get(extname(path).toLowerCase())
  if (!isAbsolute(path)) throw failed('its path is not absolute.')
  if (type === undefined) throw failed(`its name must end in ${[...types.keys()].join(', ')}.`)
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw failed(error.code === 'ENOENT' ? 'there is no such file.' : `${error.code ?? error.message}.`)
  })
  try {
    const found = await file.stat()
    if (!found.isFile()) throw failed('it is no file.')
    if (found.size > mostBytes) throw failed(`it has ${found.size} bytes, at most ${mostBytes} are served.`)
    const bytes = await file.readFile()
    return { bytes, type, etag: `"${await hexDigestOf(bytes)}"` }
  } finally {
    await file.close()
  }
}
