import { rename } from 'node:fs/promises'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** How long to wait before each further attempt. */
const pausesMs = [20, 50, 100, 200, 400]

/**
 * Renames a file, and replaces the one that has the name. On Windows that fails while a virus scanner or an indexer has
 * either of them open, which rarely lasts longer than some milliseconds.
 *
 * @param move renames once.
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
