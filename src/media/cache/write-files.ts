import { rename } from 'node:fs/promises'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** How long to wait before each further attempt. */
const pausesMs = [20, 50, 100, 200, 400]

/**
 * Renames a file, and replaces an existing one. On Windows, that fails while a virus scanner or an indexer has one of them
 * open, usually for some milliseconds.
 *
 * @param move the function that renames.
 * @throws {Error} of the system.
 */
export async function replaceFile(
  from: string,
  to: string,
  platform: NodeJS.Platform = process.platform,
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  for (const pauseMs of platform === 'win32' ? pausesMs : []) {
    try {
      return await move(from, to)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (!['EACCES', 'EBUSY', 'EPERM'].includes(code)) throw error
      await new Promise((resolve) => void hostTimers.setTimeout(() => resolve(undefined), pauseMs))
    }
  }
  return move(from, to)
}

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
