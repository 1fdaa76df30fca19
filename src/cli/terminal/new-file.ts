import { existsSync, realpathSync, statSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FileError } from './command.ts'

/** A file that will be there whole or not at all. */
export interface NewFile {
  /**
   * Writes it, in one step for whoever looks.
   * @throws {FileError} when that fails, or when another file has taken its place meanwhile.
   */
  readonly put: (bytes: Uint8Array) => Promise<void>
  /** Leaves nothing behind but the file, if it was put. */
  readonly close: () => Promise<void>
}

/**
 * Begins a file, so that what stands in its way is known before the work that fills it.
 *
 * @param path where it will be.
 * @param options.replace whether it may take the place of another file.
 * @throws {FileError} when there is one, or when the folder can't be written.
 */
export async function beginFile(path: string, { replace }: { replace: boolean }): Promise<NewFile> {
  checkPlace(path, replace)
  // Where a link leads to a file, that file is replaced and the link stays.
  const target = existsSync(path) ? realpathSync(path) : path
  const draft = await draftBeside(target)
  return {
    async put(bytes) {
      const file = join(draft, 'draft')
      try {
        await writeFile(file, bytes)
        checkPlace(path, replace)
        await rename(file, target)
      } catch (error) {
        if (error instanceof FileError) throw error
        throw new FileError(`Failed to write ${path}: ${why(error)}. Free some room, or name another file.`)
      }
    },
    close: () => rm(draft, { recursive: true, force: true }),
  }
}

function checkPlace(path: string, replace: boolean): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isFile()) {
    const what = found.isDirectory() ? 'a folder' : 'no plain file'
    throw new FileError(`Failed to write ${path}: it is ${what}. Name a file, such as clip.mp4.`)
  }
  if (!replace)
    throw new FileError(`Failed to write ${path}: it is there already. Use --force to replace it.`)
}

/** In the same folder, hence on the same disk: only there can a file be moved in one step. */
async function draftBeside(path: string): Promise<string> {
  const folder = dirname(path)
  try {
    return await mkdtemp(join(folder, '.greenroom-draft-'))
  } catch (error) {
    throw new FileError(
      `Failed to write ${path}: the folder ${folder} can't be written, ${why(error)}. Make it, or name another.`,
    )
  }
}

function why(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return (code !== undefined && reasons.get(code)) || message
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it is not there'],
  ['ENOTDIR', 'it is not a folder'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EROFS', 'the disk is read-only'],
  ['ENOSPC', 'the disk is full'],
])
