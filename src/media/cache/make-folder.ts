import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder that only its owner can read, with its missing parents. Node's recursive mkdir never ends in `/proc`,
 * and its error on a read-only disk is not helpful.
 *
 * @param make creates one folder.
 * @throws {Error} of the system.
 */
export function makeFolder(folder: string, make: (folder: string) => unknown = makePrivate): void {
  if (isThere(folder, make)) return
  const outer = dirname(folder)
  if (outer !== folder) makeFolder(outer, make)
  if (!isThere(folder, make)) throw new Error(`ENOENT: no folder can be made, mkdir '${folder}'`)
}

/** Creates one folder. @returns false if its parent is missing. */
function isThere(folder: string, make: (folder: string) => unknown): boolean {
  try {
    make(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return true
    if (code === 'ENOENT') return false
    // Some systems report an existing folder as EPERM (C:\), EISDIR (/ on macOS) or EROFS.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return true
    throw error
  }
}

const makePrivate = (folder: string): void => mkdirSync(folder, { mode: 0o700 })
