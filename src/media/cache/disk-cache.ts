import {
  lstat,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { digestOf } from './digest.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Files kept by name in one folder, which several processes may share: each is written whole or not at all,
 * checked when it is read, and the longest unused go when there are too many bytes. A folder that can't be
 * written is warned of once, left alone for a while, and tried again. Only files with the cache's own names, in a
 * folder that it has marked, are ever deleted or replaced.
 */
export class DiskCache {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #onWarning: (message: string) => void
  readonly #patienceMs: number
  readonly #what: 'clip' | 'picture'
  /** When the folder may be tried again, after it could not be written. */
  #triedAgainAtMs = 0
  #isFailing = false
  /** Known bytes in the folder; nothing until it was looked at. */
  #bytes: number | undefined
  #pruning: Promise<void> | undefined

  /** @param options `patienceMs` is how long a folder that could not be written is left alone, in real time; `what` is kept. */
  constructor(options: {
    folder: string
    maxBytes: number
    onWarning: (message: string) => void
    patienceMs?: number
    what?: 'clip' | 'picture'
  }) {
    this.#folder = options.folder
    this.#maxBytes = options.maxBytes
    this.#onWarning = options.onWarning
    this.#patienceMs = options.patienceMs ?? 30_000
    this.#what = options.what ?? 'clip'
  }

  /** The bytes under this name, or nothing; a damaged file is removed. Never fails. */
  async get(name: string): Promise<Uint8Array | undefined> {
    const path = join(this.#folder, name)
    try {
      const file = await readFile(path)
      const bytes = file.subarray(0, -digestBytes)
      if (file.length > digestBytes && file.subarray(-digestBytes).equals(await digestOf(bytes))) {
        // Only to say when it was used last; a folder that can only be read is good enough.
        const now = new Date(hostTimers.now())
        await utimes(path, now, now).catch(() => undefined)
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      }
      await this.remove(name)
    } catch {
      // Not there, or not readable: both mean that it has to be made.
    }
    return undefined
  }

  /** Keeps the bytes under this name, such as `clip-DIGEST.mp4`. Never fails. @returns whether they are kept. */
  async put(name: string, bytes: Uint8Array): Promise<boolean> {
    if (bytes.length > this.#maxBytes || hostTimers.elapsedMs() < this.#triedAgainAtMs) return false
    let draft: string | undefined
    try {
      if (!isOwnName(name)) throw new Error(`the cache has no files named ${name}`)
      makeFolder(this.#folder)
      await markFolder(this.#folder)
      // The system finds a name that nobody has: process ids repeat between containers and threads.
      draft = await mkdtemp(join(this.#folder, draftPrefix))
      await write(join(draft, name), [bytes, await digestOf(bytes)])
      await rename(join(draft, name), join(this.#folder, name))
      this.#bytes = (this.#bytes ?? Infinity) + bytes.length
      this.#isFailing = false
      if (this.#bytes > this.#maxBytes) await (this.#pruning ??= this.#prune())
      return true
    } catch (error) {
      this.#giveUp(error as NodeJS.ErrnoException)
      return false
    } finally {
      if (draft) await removeDraft(draft)
    }
  }

  /** Removes what is kept under this name. Never fails. */
  async remove(name: string): Promise<void> {
    if (!isOwnName(name) || !(await isMarked(this.#folder))) return
    await rm(join(this.#folder, name), { force: true }).catch(() => undefined)
  }

  #giveUp(error: NodeJS.ErrnoException): void {
    this.#triedAgainAtMs = hostTimers.elapsedMs() + this.#patienceMs
    if (this.#isFailing) return
    this.#isFailing = true
    const what = error.code === 'ENOSPC' ? 'the disk is full' : error.message
    this.#onWarning(
      `Failed to keep a ${this.#what} in ${this.#folder}: ${what}. ` +
        (this.#what === 'clip'
          ? 'Clips are kept in memory instead; give another cache folder, or turn it off, to be rid of this warning.'
          : 'Pictures are refused until this is fixed.'),
    )
  }

  /** Looks at the folder anew, since others write there too, and makes a tenth of it free. */
  async #prune(): Promise<void> {
    try {
      const files = await this.#files()
      let bytes = files.reduce((total, { size }) => total + size, 0)
      if (bytes > this.#maxBytes) {
        for (const { path, size } of files.toSorted((a, b) => a.usedMs - b.usedMs)) {
          if (bytes <= this.#maxBytes * 0.9) break
          await rm(path, { force: true })
          bytes -= size
        }
      }
      this.#bytes = bytes
    } finally {
      this.#pruning = undefined
    }
  }

  /** The cache's own files. Removes drafts of processes that ended before they were done. */
  async #files(): Promise<{ path: string; size: number; usedMs: number }[]> {
    const files = []
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      // Not `stat`: a symbolic link is none of our files.
      const found = await lstat(path).catch(() => undefined)
      if (!found) continue
      if (found.isFile() && isOwnName(name)) files.push({ path, size: found.size, usedMs: found.mtimeMs })
      const isDraft = found.isDirectory() && name.startsWith(draftPrefix)
      if (isDraft && hostTimers.now() - found.mtimeMs > anHourMs) await removeDraft(path)
    }
    return files
  }
}

/** Removes a draft directory with the cache's own files in it; one with other files stays. Never fails. */
async function removeDraft(path: string): Promise<void> {
  try {
    const names = (await readdir(path)).filter(isOwnName)
    await Promise.all(names.map((name) => rm(join(path, name), { force: true })))
    await rmdir(path)
  } catch {
    // Other files are in it, or another process has removed it.
  }
}

/** The digest stands at the end, where players of clips and pictures don't look. */
async function write(path: string, parts: Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    // Not `writev`: on a disk that fills up it writes a part and says nothing.
    for (const part of parts) await file.writeFile(part)
  } finally {
    await file.close()
  }
}

const digestBytes = 32
const anHourMs = 3_600_000

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

/**
 * Where clips are kept between runs when nobody says otherwise: the user's own cache folder, since a folder in
 * the shared temporary one could have been prepared by somebody else. `XDG_CACHE_HOME` moves it on Linux.
 */
export function defaultCacheFolder(): string {
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env
  if (process.platform === 'win32') return join(local || tmpdir(), 'greenroom', 'cache')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'greenroom')
  return join(xdg || join(homedir(), '.cache'), 'greenroom')
}
