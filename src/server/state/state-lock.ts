import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeFileError } from '../../files/file-error.ts'
import { ServerError } from '../server.ts'

let locksTaken = 0

/**
 * Locks a folder for one server: a file with the id of its process, and on Linux its start, because ids are reused. Takes
 * over the lock of a process that has ended, and an empty one.
 *
 * @returns a function that releases the lock.
 * @throws {ServerError} when another server uses the folder.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock')
  const text = [process.pid, startOf(process.pid), ++locksTaken].join(' ')
  for (let tries = 0; tries < 3; tries++) {
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
      return () => remove(path, text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        // A full disk would leave an empty file.
        rmSync(path, { force: true })
        throw error
      }
    }
    const found = readLock(folder, path)
    if (found === undefined) continue
    // Another server may be about to write it.
    if (found === '' && tries === 0) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      continue
    }
    const [pid = '', began = ''] = found.split(' ')
    if (found !== '' && !/^[1-9]\d*$/.test(pid)) throw unreadable(folder, path, 'it names no process')
    if (found !== '' && isAlive(Number(pid), began)) {
      throw new ServerError(
        `Failed to use the state in ${folder}: process ${pid} uses it. Stop that server, or give another folder. ` +
          `If it is no greenroom, delete ${path}.`,
      )
    }
    remove(path, found)
  }
  throw new ServerError(
    `Failed to use the state in ${folder}: other servers want it at the same time. Try again.`,
  )
}

/** Removes a lock with this content. Renames it first, since another server may have replaced it after it was read. */
function remove(path: string, text: string): void {
  const renamed = `${path}.${process.pid}`
  try {
    renameSync(path, renamed)
    const found = readText(renamed)
    if (found !== undefined && found !== text) writeFileSync(path, found, { flag: 'wx', mode: 0o600 })
  } catch {
    // Another server has removed or replaced it.
  }
  rmSync(renamed, { force: true })
}

function readLock(folder: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unreadable(folder, path, describeFileError(error))
  }
}

const unreadable = (folder: string, path: string, why: string): ServerError =>
  new ServerError(
    `Failed to use the state in ${folder}: the lock ${path} can't be read: ${why}. If no server uses the folder, delete that file.`,
  )

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function isAlive(pid: number, began: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return startOf(pid) === began
}

/** When a process started, in ticks since the boot; `ended` if nothing waited for its end yet; empty except on Linux. */
function startOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`)
  // The second field is a name in parentheses, which may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : (fields[19] ?? '')
}
