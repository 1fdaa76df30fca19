import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ServerError } from './server.ts'

interface Holder {
  readonly pid: number
  /** When the process began, where the system tells: process ids come again. */
  readonly began: string
  /** Which of the locks that this process has taken. */
  readonly number?: number
}

/** A folder that is this server's alone. */
export interface FolderLock {
  /**
   * Takes the folder again where it has vanished, lock and all.
   * @throws {ServerError} when another has taken it meanwhile.
   */
  readonly hold: () => void
  /** Whether the lock in the folder is still this one. */
  readonly isHeld: () => boolean
  /** Gives it back. */
  readonly release: () => void
}

let locksTaken = 0

/**
 * Takes a folder for one server alone. The lock of a process that is gone is taken over.
 * @param link makes a link; tests give one of a file system that has none.
 * @throws {ServerError} when another has it.
 */
export function lockFolder(folder: string, link: typeof linkSync = linkSync): FolderLock {
  const path = join(folder, 'lock')
  const own: Holder = { pid: process.pid, began: beginningOf(process.pid), number: ++locksTaken }
  const text = JSON.stringify(own)
  take(folder, own, link)
  const isHeld = (): boolean => read(path) === text
  return {
    hold: () => {
      if (!isHeld()) take(folder, own, link)
    },
    isHeld,
    release: () => takeAway(path, text, `${draftOf(path)}.old`, link),
  }
}

const draftOf = (path: string): string => `${path}.${process.pid}`

function take(folder: string, own: Holder, link: typeof linkSync): void {
  const path = join(folder, 'lock')
  const draft = draftOf(path)
  try {
    writeFileSync(draft, JSON.stringify(own), { mode: 0o600 })
    for (let tries = 0; tries < 3; tries++) {
      if (put(draft, path, link)) return
      const text = read(path)
      const holder = holderIn(text)
      if (holder && isAlive(holder, own)) {
        throw new ServerError(
          `Failed to use the state in ${folder}: process ${holder.pid} uses it. Stop that one, or give another folder.`,
        )
      }
      takeAway(path, text, `${draft}.old`, link)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  throw new ServerError(`Failed to use the state in ${folder}: others want it at the same time. Try again.`)
}

/**
 * Puts a lock where none may be, whole or not at all.
 * @returns false where there is one.
 */
function put(draft: string, path: string, link: typeof linkSync): boolean {
  try {
    link(draft, path)
    return true
  } catch (error) {
    if (isTaken(error)) return false
  }
  // Some file systems know no links. There a folder is renamed, which never takes the place of one that has something in it.
  const whole = asFolder(draft)
  try {
    renameSync(whole, path)
    return true
  } catch (error) {
    if (isTaken(error) || existsSync(path)) return false
    throw error
  } finally {
    rmSync(whole, { recursive: true, force: true })
  }
}

function isTaken(error: unknown): boolean {
  return ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/** What stands in a lock that is a folder. */
const inFolder = 'holder'

function asFolder(lock: string): string {
  if (statSync(lock).isDirectory()) return lock
  const folder = `${lock}.folder`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  copyFileSync(lock, join(folder, inFolder))
  return folder
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const isFolder = (error as NodeJS.ErrnoException).code === 'EISDIR'
    return isFolder ? read(join(path, inFolder)) : undefined
  }
}

/** Takes a lock away that is over, unless somebody else did and has its own there by now. */
function takeAway(path: string, over: string | undefined, aside: string, link: typeof linkSync): void {
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (read(aside) !== over) put(aside, path, link)
  rmSync(aside, { recursive: true, force: true })
}

function holderIn(text: string | undefined): Holder | undefined {
  try {
    const { pid, began } = JSON.parse(text ?? '') as Holder
    return Number.isInteger(pid) && pid > 0 ? { pid, began: String(began) } : undefined
  } catch {
    return undefined
  }
}

function isAlive(holder: Holder, own: Holder): boolean {
  // In a container the process after a crash may well have the same id.
  if (holder.pid === own.pid && holder.began !== own.began) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const began = beginningOf(holder.pid)
  if (began === ended) return false
  return began === '' || holder.began === '' || began === holder.began
}

/** What is said of a process that has ended, though nobody has asked yet how: it still has its id, and holds nothing. */
const ended = 'ended'

/** When a process began, in ticks since the machine did; empty where that can't be told. */
function beginningOf(pid: number): string {
  const stat = read(`/proc/${pid}/stat`)
  // The second field is a name in parentheses, which may have anything in it.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return fields[0] === 'Z' || fields[0] === 'X' ? ended : (fields[19] ?? '')
}
