import { constants } from 'node:fs'
import { lstat, mkdtemp, open, readdir, rm, rmdir, utimes, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, posix, win32 } from 'node:path'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { hashBytes } from './digest.ts'
import { makeFolder, replaceFile } from './write-files.ts'

/**
 * An LRU cache of files in one folder, which several processes may share. Files are written atomically and verified when
 * read. A folder that can't be written causes one warning, and is tried again after a while. The cache only deletes or
 * replaces files with its own names, in a folder that it has marked.
 */
export class DiskCache {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #onWarning: (message: string) => void
  readonly #retryAfterMs: number
  readonly #what: 'clip' | 'picture'
  #retryAtMs = 0
  #isFailing = false
  /** The number of bytes in the folder; undefined until the folder was read. */
  #bytes: number | undefined
  #pruning: Promise<void> | undefined

  /** @param options.retryAfterMs how long to wait, in real time, before a folder that could not be written is tried again. */
  constructor(options: {
    folder: string
    maxBytes: number
    onWarning: (message: string) => void
    retryAfterMs?: number
    what?: 'clip' | 'picture'
  }) {
    this.#folder = options.folder
    this.#maxBytes = options.maxBytes
    this.#onWarning = options.onWarning
    this.#retryAfterMs = options.retryAfterMs ?? 30_000
    this.#what = options.what ?? 'clip'
  }

  /** The bytes under this name; undefined if there are none. A damaged file is removed. Never fails. */
  async get(name: string): Promise<Uint8Array | undefined> {
    const path = join(this.#folder, name)
    try {
      const file = await readRegularFile(path)
      const bytes = file.subarray(0, -digestBytes)
      if (file.length > digestBytes && file.subarray(-digestBytes).equals(await hashBytes(bytes))) {
        // Records the use. If the folder is read-only, that fails silently.
        const now = new Date(hostTimers.now())
        await utimes(path, now, now).catch(() => undefined)
        return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      }
      await this.remove(name)
    } catch {
      // Missing or unreadable, so it is rendered again.
    }
    return undefined
  }

  /** Writes a file, such as `clip-DIGEST.mp4`. Never fails. @returns whether it was written. */
  async put(name: string, bytes: Uint8Array): Promise<boolean> {
    if (bytes.length > this.#maxBytes || hostTimers.elapsedMs() < this.#retryAtMs) return false
    let draft: string | undefined
    try {
      if (!isOwnName(name)) throw new Error(`the cache has no files named ${name}`)
      makeFolder(this.#folder)
      await markFolder(this.#folder)
      // The system chooses the name, since process ids repeat between containers.
      draft = await mkdtemp(join(this.#folder, draftPrefix))
      await write(join(draft, name), [bytes, await hashBytes(bytes)])
      await replaceFile(join(draft, name), join(this.#folder, name))
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

  /** Removes a file. Never fails. */
  async remove(name: string): Promise<void> {
    if (!isOwnName(name) || !(await isMarked(this.#folder))) return
    await rm(join(this.#folder, name), { force: true }).catch(() => undefined)
  }

  #giveUp(error: NodeJS.ErrnoException): void {
    this.#retryAtMs = hostTimers.elapsedMs() + this.#retryAfterMs
    if (this.#isFailing) return
    this.#isFailing = true
    const what = error.code === 'ENOSPC' ? 'the disk is full' : error.message
    this.#onWarning(
      `Failed to store a ${this.#what} in ${this.#folder}: ${what}. ` +
        (this.#what === 'clip'
          ? 'Clips are cached in memory only. Use another cache folder, or disable it, to avoid this warning.'
          : 'Pictures are refused until this is fixed.'),
    )
  }

  /** Reads the folder, since other processes write to it, and frees a tenth of the space. */
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

  /** The cache's own files. Removes drafts of processes that have ended. */
  async #files(): Promise<{ path: string; size: number; usedMs: number }[]> {
    const files = []
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      // Not `stat`, because a symbolic link is not a file of the cache.
      const found = await lstat(path).catch(() => undefined)
      if (!found) continue
      if (found.isFile() && isOwnName(name)) files.push({ path, size: found.size, usedMs: found.mtimeMs })
      const isDraft = found.isDirectory() && name.startsWith(draftPrefix)
      if (isDraft && hostTimers.now() - found.mtimeMs > anHourMs) await removeDraft(path)
    }
    return files
  }
}

/** @throws {Error} for anything but a file: the open of a pipe would wait for its writer. */
async function readRegularFile(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a file`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Removes a draft directory with files of the cache. One with other files stays. Never fails. */
async function removeDraft(path: string): Promise<void> {
  try {
    const names = (await readdir(path)).filter(isOwnName)
    await Promise.all(names.map((name) => rm(join(path, name), { force: true })))
    await rmdir(path)
  } catch {
    // It contains other files, or another process has removed it.
  }
}

/** Writes the digest after the content, where players ignore it. */
async function write(path: string, parts: Uint8Array[]): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    // Not `writev`: on a full disk, it writes a part without an error.
    for (const part of parts) await file.writeFile(part)
  } finally {
    await file.close()
  }
}

const digestBytes = 32
const anHourMs = 3_600_000

/** A folder with this file is a cache of greenroom. */
const markName = '.greenroom-cache'

/** Directories in which files are written before they are renamed into place. */
const draftPrefix = '.greenroom-draft-'

const markText = `greenroom caches clips and pictures in this folder.
It deletes files named like clip-DIGEST.mp4 or picture-DIGEST.png here, and no others.
`

/** A kind, a SHA-256 in hexadecimal, and an extension. */
const ownNames = /^(?:clip-[0-9a-f]{64}\.mp4|picture-[0-9a-f]{64}\.(?:png|jpg)|mask-[0-9a-f]{64}\.png)$/

function isOwnName(name: string): boolean {
  return ownNames.test(name)
}

async function isMarked(folder: string): Promise<boolean> {
  const found = await lstat(join(folder, markName)).catch(() => undefined)
  return found?.isFile() === true
}

/**
 * Marks a folder as a cache, unless it contains foreign files. A folder of an earlier version has no mark, and is
 * recognised by its file names.
 * @throws {Error} if the folder contains foreign files or can't be written.
 */
async function markFolder(folder: string): Promise<void> {
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

/**
 * Whether a file may be in the folder of a cache: hidden files of the system, such as `.DS_Store`, and `draft-…` of earlier
 * versions.
 */
function isExpected(name: string): boolean {
  return isOwnName(name) || name.startsWith('.') || /^draft-\w{6}$/.test(name)
}

/** The user's cache folder. In the shared temporary folder, another user could have prepared it. */
export function defaultCacheFolder(
  platform: NodeJS.Platform = process.platform,
  { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local }: NodeJS.ProcessEnv = process.env,
  home = homedir(),
): string {
  if (platform === 'win32') return win32.join(local || tmpdir(), 'greenroom', 'cache')
  if (platform === 'darwin') return posix.join(home, 'Library', 'Caches', 'greenroom')
  return posix.join(xdg || posix.join(home, '.cache'), 'greenroom')
}
