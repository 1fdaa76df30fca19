import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { describeFileError } from '../../scenario/files/file-error.ts'
import { ServerError } from '../server.ts'

/** The process that holds a lock. */
interface Holder {
  readonly pid: number
  /** The boot of the machine and the start of the process in it, because process ids are reused. Empty except on Linux. */
  readonly boot: string
  readonly began: string
  /** Distinguishes the locks of one process. */
  readonly number: number
}

/** The lock of a folder, which only one server may use. */
interface FolderLock {
  /** Whether the machine stopped while a server used the folder. Then its latest writes may not have reached the disk. */
  readonly machineStopped: boolean
  readonly release: () => void
}

let locksTaken = 0
/** An empty lock file is being written, or was left behind by a full disk. */
const maxEmptyMs = 5_000

/**
 * Locks a folder for one server. Takes over the lock of a process that has ended.
 *
 * @param boot the id of the boot of the machine; empty where the system has none.
 * @throws {ServerError} when another server uses it.
 */
export function lockFolder(folder: string, boot = readBoot()): FolderLock {
  const path = join(folder, 'lock')
  const own: Holder = {
    pid: process.pid,
    boot,
    began: startOf(process.pid),
    number: ++locksTaken,
  }
  const text = JSON.stringify(own)
  let machineStopped = false
  for (let tries = 0; tries < 3; tries++) {
    if (create(path, text)) return { machineStopped, release: () => remove(path, text) }
    const found = readLock(folder, path)
    if (found === undefined) continue
    const holder = parseHolder(found)
    if (!holder && found !== '') throw readError(folder, path, 'it names no process')
    if (holder ? isAlive(holder, own) : isFresh(path)) {
      const user = holder ? `process ${holder.pid} uses it` : 'another server is starting there'
      // Without the id of the boot, a reused process id is not recognised.
      const otherwise = boot === '' ? ` If it is no greenroom, delete ${path}.` : ''
      throw new ServerError(
        `Failed to use the state in ${folder}: ${user}. Stop that server, or give another folder.${otherwise}`,
      )
    }
    machineStopped = holder !== undefined && (boot === '' ? isBeforeBoot(path) : holder.boot !== boot)
    remove(path, found)
  }
  throw new ServerError(
    `Failed to use the state in ${folder}: other servers want it at the same time. Try again.`,
  )
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // A full disk would leave an empty file.
    rmSync(path, { force: true })
    throw error
  }
}

/** Removes a lock with this content. Renames it first, since another server may have replaced it after it was read. */
function remove(path: string, text: string): void {
  const renamed = `${path}.${process.pid}`
  try {
    renameSync(path, renamed)
  } catch {
    return
  }
  const found = readText(renamed)
  if (found !== undefined && found !== text) create(path, found)
  rmSync(renamed, { force: true })
}

/** @throws {ServerError} if there is a lock that can't be read. */
function readLock(folder: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw readError(folder, path, describeFileError(error))
  }
}

function readError(folder: string, path: string, why: string): ServerError {
  return new ServerError(
    `Failed to use the state in ${folder}: the lock ${path} can't be read: ${why}. If no server uses the folder, delete that file.`,
  )
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Holder
    return Number.isInteger(holder.pid) && holder.pid > 0 ? holder : undefined
  } catch {
    return undefined
  }
}

function isFresh(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
  return Math.abs(hostTimers.now() - mtimeMs) < maxEmptyMs
}

const readBoot = (): string => readText('/proc/sys/kernel/random/boot_id')?.trim() ?? ''

/** Whether a file is older than the boot, by the wall clock. That is accurate enough for a warning. */
function isBeforeBoot(path: string): boolean {
  const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity }
  return mtimeMs < hostTimers.now() - uptime() * 1_000
}

function isAlive(holder: Holder, own: Holder): boolean {
  if (holder.boot !== own.boot) return false
  try {
    process.kill(holder.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const began = startOf(holder.pid)
  return began !== ended && (began === '' || began === holder.began)
}

/** The state of a process that has ended, but whose parent has not waited for it yet. */
const ended = 'ended'

/** When a process started, in ticks since the boot; empty if the system doesn't report it. */
function startOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`)
  // The second field is a name in parentheses, which may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return fields[0] === 'Z' || fields[0] === 'X' ? ended : (fields[19] ?? '')
}
