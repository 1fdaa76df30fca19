import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServerError } from './server.ts'

interface Holder {
  readonly pid: number
  /** When the process began, where the system tells: process ids come again. */
  readonly began: string
}

/**
 * Takes a folder for this process alone. The lock of a process that is gone is taken over.
 * @returns a function that gives it back.
 * @throws {ServerError} when another process has it.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock')
  const own: Holder = { pid: process.pid, began: beginningOf(process.pid) }
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 })
  try {
    for (let tries = 0; tries < 3; tries++) {
      // A link is made whole or not at all, and never over another.
      if (link(draft, path)) return () => rmSync(path, { force: true })
      const text = read(path)
      const holder = holderIn(text)
      if (holder && isAlive(holder, own)) {
        throw new ServerError(
          `Failed to use the state in ${folder}: process ${holder.pid} uses it. Stop that one, or give another folder.`,
        )
      }
      takeAway(path, text, `${draft}.old`)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  throw new ServerError(`Failed to use the state in ${folder}: others want it at the same time. Try again.`)
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Takes a stale lock away, unless somebody else did and has its own there by now. */
function takeAway(path: string, stale: string | undefined, aside: string): void {
  try {
    renameSync(path, aside)
  } catch {
    return
  }
  if (read(aside) !== stale) link(aside, path)
  rmSync(aside, { force: true })
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
