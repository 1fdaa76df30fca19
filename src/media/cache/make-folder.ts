import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder for its owner alone, and those it is to lie in, where they aren't there. Node's own way of doing so
 * never ends where a system takes no folders, such as in `/proc`, and says little where a disk can only be read.
 * @throws {Error} of the system.
 */
export function makeFolder(folder: string): void {
  if (isThere(folder)) return
  const outer = dirname(folder)
  if (outer !== folder) makeFolder(outer)
  if (!isThere(folder)) throw new Error(`ENOENT: no folder can be made, mkdir '${folder}'`)
}

/** Makes one, unless the folder it is to lie in is missing. @returns whether it is there. */
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
