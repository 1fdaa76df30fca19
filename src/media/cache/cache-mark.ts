import { lstat, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Its presence says that greenroom may delete its own files in a folder. */
export const markName = '.greenroom-cache'

/** Directories in which files are written before they are renamed into place. */
export const draftPrefix = '.greenroom-draft-'

const markText = `greenroom caches clips and pictures in this folder.
It deletes files named like clip-DIGEST.mp4 or picture-DIGEST.png here, and no others.
`

/** Names that the cache gives: the kind, a SHA-256 in hexadecimal, and the extension. */
const ownNames = /^(?:clip-[0-9a-f]{64}\.mp4|picture-[0-9a-f]{64}\.(?:png|jpg)|mask-[0-9a-f]{64}\.png)$/

/** Whether the cache gives such a name to a file. */
export function isOwnName(name: string): boolean {
  return ownNames.test(name)
}

/** Whether greenroom has marked the folder as its cache. */
export async function isMarked(folder: string): Promise<boolean> {
  const found = await lstat(join(folder, markName)).catch(() => undefined)
  return found?.isFile() === true
}

/**
 * Marks a folder as a cache, unless it holds files of others. A folder without a mark from an earlier version is recognised
 * by its names.
 * @throws {Error} when the folder holds other files or can't be written.
 */
export async function markFolder(folder: string): Promise<void> {
  if (await isMarked(folder)) return
  const foreign = (await readdir(folder)).find((name) => !isExpected(name))
  if (foreign !== undefined) {
    throw new Error(`the folder is not a cache of greenroom: it contains ${JSON.stringify(foreign)}`)
  }
  await writeFile(join(folder, markName), markText, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    // Another process may have marked it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
}

/** Hidden files of the system, such as `.DS_Store`, are no sign of another use. `draft-…` is from earlier versions. */
function isExpected(name: string): boolean {
  return isOwnName(name) || name.startsWith('.') || /^draft-\w{6}$/.test(name)
}
