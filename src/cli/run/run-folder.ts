import { lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The variable that names the folder in which a program keeps what must survive a crash. */
export const runFolderVariable = 'GREENROOM_RUN_DIR'

/** A folder of one run, which all its processes share. */
export interface RunFolder {
  readonly path: string
  /** Removes it with everything in it, unless another folder has taken its place. */
  readonly remove: () => Promise<void>
}

/** Creates an empty folder below that of temporary files. */
export async function createRunFolder(): Promise<RunFolder> {
  const path = await mkdtemp(join(tmpdir(), 'greenroom-run-'))
  const made = await lstat(path, { bigint: true })
  const remove = async (): Promise<void> => {
    const found = await lstat(path, { bigint: true }).catch(() => undefined)
    if (!found?.isDirectory() || found.ino !== made.ino || found.dev !== made.dev) return
    await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  return { path, remove }
}
