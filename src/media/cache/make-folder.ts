import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder for its owner alone, with its missing parents. Node's recursive mkdir never ends in `/proc`, and its
 * error on a read-only disk is not helpful.
 * @throws {Error} of the system.
 */
export function makeFolder(folder: string): void {
  if (isThere(folder)) return
  const outer = dirname(folder)
  if (outer !== folder) makeFolder(outer)
  if (!isThere(folder)) throw new Error(`ENOENT: no folder can be made, mkdir '${folder}'`)
}

/** Creates one folder. @returns false if its parent is missing. */
function isThere(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return true
    if (code === 'ENOENT') return false
    throw error
  }
}
