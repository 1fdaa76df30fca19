import { rename } from 'node:fs/promises'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

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
