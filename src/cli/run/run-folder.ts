import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The variable that names the folder in which a program keeps what must survive a crash. */
export const runFolderVariable = 'GREENROOM_RUN_DIR'

/** A folder of one run, which all its processes share. */
export interface RunFolder {
  readonly path: string
  /** Removes it with everything in it. A folder that has taken its place stays. */
  readonly remove: () => Promise<void>
}

/** Creates an empty folder among the temporary files. A mark next to it proves that it is ours. */
export async function createRunFolder(): Promise<RunFolder> {
  const parent = await mkdtemp(join(tmpdir(), 'greenroom-run-'))
  const [path, mark] = [join(parent, 'run'), join(parent, 'made-by-greenroom')]
  const token = `${process.pid} ${parent}`
  await writeFile(mark, token)
  await mkdir(path)
  const remove = async (): Promise<void> => {
    const found = await readFile(mark, 'utf8').catch(() => undefined)
    if (found === token) await rm(parent, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
  }
  return { path, remove }
}
