import { watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** Editors write a file in several steps; after so long without another, it is taken to be whole. */
const calmMs = 100

/**
 * Tells when a file has changed, also when an editor puts another in its place.
 *
 * @param path the file. Its folder is watched, since a watch on the file would stay with the one that was replaced.
 * @param on.change called once for each run of changes; the next call waits for it.
 * @param on.failure called once, with the reason, when the folder can't be watched.
 * @returns a function that ends it and waits for the last `change`.
 */
export function watchFile(
  path: string,
  on: { change: () => Promise<void>; failure: (reason: string) => void },
): () => Promise<void> {
  let timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  let last = Promise.resolve()
  let watcher: FSWatcher | undefined
  const changed = (): void => {
    hostTimers.clearTimeout(timer)
    timer = hostTimers.setTimeout(() => (last = last.then(on.change)), calmMs)
  }
  try {
    watcher = watch(dirname(path), (_, name) => {
      // Some systems don't say which file it was.
      if (name === null || name === basename(path)) changed()
    })
    watcher.once('error', (error) => {
      watcher?.close()
      on.failure(error.message)
    })
  } catch (error) {
    on.failure((error as Error).message)
  }
  return async () => {
    hostTimers.clearTimeout(timer)
    watcher?.close()
    await last
  }
}
