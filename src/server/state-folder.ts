import { closeSync, copyFileSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ClockMode } from '../engine/clock/clock-settings.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import type { Simulator } from '../simulator/simulator.ts'
import { stateVersion } from '../state/document.ts'
import { StateError } from '../state/state-error.ts'
import { version } from '../version.ts'
import { makeFolder } from '../media/cache/make-folder.ts'
import { ServerError } from './server.ts'
import { StateFile, type FoundFile } from './state-file.ts'
import { lineOf, linesOf } from './state-lines.ts'
import { lockFolder, type FolderLock } from './state-lock.ts'
import { explainDiskError, isDiskFull, type Disk } from './state-writer.ts'

/** How a state is kept. */
export interface StateFolderOptions {
  /** Answers wait until the disk has what they promise. */
  readonly sync?: boolean
  /** A damaged file is used up to the damage. */
  readonly salvage?: boolean
  /** How time moves unless it was told otherwise since. */
  readonly clock: { readonly mode: ClockMode; readonly rate: number }
  readonly onWarning: (message: string) => void
  readonly disk?: Disk
  readonly defaultBytes?: number
  /** The size from which loading a file is announced. */
  readonly noticeBytes?: number
}

/** About 10,000 tasks, which take half a second. */
const defaultNoticeBytes = 4_000_000

/** Where a file begins that isn't there. */
const fresh = { start: 0, wholeEnd: 0, isOther: true }

interface Head {
  readonly greenroom: 'state'
  readonly version: number
  readonly made: string
  readonly seed: string
  readonly clock: { readonly mode: ClockMode; readonly rate: number }
}

/**
 * Lets a simulator go on from what a folder keeps, and keeps there what changes from then on.
 *
 * @returns the simulator, which answers when its changes are kept; closing it closes the folder.
 * @throws {ServerError} for a folder that can't be used or is in use, and for a file that can't be gone on from.
 */
export function keptIn(folder: string, simulator: Simulator, options: StateFolderOptions): Simulator {
  const path = join(folder, 'state.jsonl')
  const lock = opened(folder)
  try {
    rmSync(`${path}.new`, { force: true })
    const { state, draws } = simulator
    const { clock, onWarning, disk, defaultBytes } = options
    const head: Head = { greenroom: 'state', version: stateVersion, made: version, seed: draws.seed, clock }
    const found = existsSync(path) ? load(path, simulator, options) : fresh
    const file = new StateFile(path, found, {
      head,
      values: () => state.values(),
      onWarning,
      hold: lock.hold,
      isHeld: lock.isHeld,
      ...(disk && { disk }),
      ...(defaultBytes !== undefined && { defaultBytes }),
    })
    state.keepIn(file)
    if (found.start === 0 || found.isOther) state.everythingChanged()
    const problem = state.keep()
    if (problem !== undefined) throw new ServerError(problem)
    return keeping(simulator, file, { sync: options.sync ?? false, lock })
  } catch (error) {
    lock.release()
    throw asServerError(error, path)
  }
}

function opened(folder: string): FolderLock {
  try {
    makeFolder(folder)
    return lockFolder(folder)
  } catch (error) {
    if (error instanceof ServerError) throw error
    throw new ServerError(
      `Failed to use the state in ${folder}: ${explainDiskError(error)}. ${advice(error)}`,
    )
  }
}

/** The simulator, whose answers wait for the disk where that is wanted. */
function keeping(
  simulator: Simulator,
  file: StateFile,
  { sync, lock }: { sync: boolean; lock: FolderLock },
): Simulator {
  const { state } = simulator
  const synced = syncedWith(file, () => {
    // What the disk has lost is in memory still.
    state.everythingChanged()
    state.keep()
  })
  return {
    ...simulator,
    handle: sync
      ? async (incoming) => {
          const exchange = await simulator.handle(incoming)
          await synced()
          return exchange
        }
      : simulator.handle,
    close: async () => {
      for (const { name } of simulator.namespaces.all()) state.noteTime(name)
      state.keep()
      state.keepNoMore()
      file.close()
      lock.release()
      await simulator.close()
    },
  }
}

/**
 * Waits until the disk has all that was written by now. Those who wait at the same time wait together.
 * @param mend called where the disk fails, before anybody goes on.
 */
function syncedWith(file: StateFile, mend: () => void): () => Promise<void> {
  let under = Promise.resolve()
  let next: Promise<void> | undefined
  const once = (): Promise<void> =>
    new Promise((resolve) => {
      next = undefined
      file.whenSynced((failed) => {
        if (failed) mend()
        resolve()
      })
    })
  return () => {
    if (!next) {
      next = under.then(once)
      under = next
    }
    return next
  }
}

/** Reads a file into a simulator. Loading blocks the process, so a large file is announced. */
function load(path: string, simulator: Simulator, options: StateFolderOptions): LoadedFile {
  const { size } = statSync(path)
  const { onWarning, noticeBytes = defaultNoticeBytes } = options
  if (size < noticeBytes) return goOn(path, simulator, options)
  const startedMs = hostTimers.elapsedMs()
  onWarning(
    `Loading the state from ${path} (${(size / 1e6).toFixed(1)} MB). Requests are answered after that.`,
  )
  const found = goOn(path, simulator, options)
  const seconds = ((hostTimers.elapsedMs() - startedMs) / 1_000).toFixed(1)
  onWarning(`The state is loaded: ${countTasks(simulator)} tasks in ${seconds} s.`)
  return found
}

function countTasks({ namespaces, tasks }: Simulator): number {
  return namespaces.all().reduce((sum, { name }) => sum + tasks.count(name), 0)
}

type LoadedFile = FoundFile & { readonly isOther: boolean }

/**
 * Reads a file into a simulator.
 * @returns what was found, and whether time was told to move otherwise than when it was begun.
 */
function goOn(path: string, { state, draws }: Simulator, options: StateFolderOptions): LoadedFile {
  const lines = linesOf(path)
  const first = lines.next()
  if (first.done || !first.value.isSound) {
    // Nothing was ever acknowledged by a file whose first line isn't whole. What is another program's stays.
    if (first.done || (lines.next().done && mayBeginState(path))) return fresh
    throw damaged(path, 1, options)
  }
  const head = headOf(first.value.value, path, draws.seed)
  let end = first.value.end
  let wholeEnd = 0
  for (const line of lines) {
    if (!line.isSound) {
      const isLast = lines.next().done === true
      if (!isLast && !options.salvage) throw damaged(path, line.number, options)
      if (!isLast) copyFileSync(path, `${path}.damaged`)
      options.onWarning(
        isLast
          ? `${path}: the last line was not written whole, as when a process is killed; it was cut off.`
          : `${path}: line ${line.number} is damaged. What stands before it is used; the file as it was is ${path}.damaged.`,
      )
      break
    }
    if (!Array.isArray(line.value)) throw new StateError(`line ${line.number} is no list of changes`)
    for (const [index, change] of line.value.entries()) {
      state.write(state.check(change, `line ${line.number}, change ${index + 1}`))
    }
    end = line.end
    if (line.value.length === 0) wholeEnd = end
  }
  const isOther = head.clock.mode !== options.clock.mode || head.clock.rate !== options.clock.rate
  state.resume({ asLeft: true, ...(isOther && { mode: options.clock }) })
  return { start: end, wholeEnd, isOther }
}

/** Whether a file begins as a state does, as far as it goes. */
function mayBeginState(path: string): boolean {
  const sample = lineOf({ greenroom: 'state' }).slice(0, -3)
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(sample.length)
  readSync(file, bytes)
  closeSync(file)
  // The check sum differs.
  const anySum = (text: string): string => text.replace(/^\["[0-9a-f]{0,8}/, '["')
  return anySum(sample).startsWith(anySum(bytes.toString('latin1').replace(/[\n\0]+$/, '')))
}

function headOf(value: unknown, path: string, seed: string): Head {
  const head = value as Head
  if (head?.greenroom !== 'state')
    throw new ServerError(`${path} is no state of greenroom. Give another folder.`)
  if (head.version !== stateVersion) {
    throw new ServerError(
      `${path} was written by greenroom ${head.made} in format ${head.version}, while this one reads ` +
        `${stateVersion}. Use that greenroom, or give another folder.`,
    )
  }
  if (head.seed !== seed) {
    throw new ServerError(
      `${path} was made with seed "${head.seed}", and ids and dice would not fit "${seed}". ` +
        `Start with --seed ${head.seed}, or give another folder.`,
    )
  }
  return head
}

function damaged(path: string, line: number, { salvage }: StateFolderOptions): ServerError {
  const what = `Failed to go on from ${path}: line ${line} is damaged`
  if (salvage || line === 1) return new ServerError(`${what}. Move the file away to begin anew.`)
  return new ServerError(
    `${what}. Start with --state-salvage to go on from what stands before it, or move the file away to begin anew.`,
  )
}

function asServerError(error: unknown, path: string): Error {
  if (error instanceof ServerError) return error
  const { message, code } = error as NodeJS.ErrnoException
  // What isn't the system's word is about what the file says: it may have more namespaces than there may be now.
  if (code === undefined) {
    return new ServerError(
      `Failed to go on from ${path}: ${message.replace(/\.$/, '')}. Start with the config of before, or give another folder.`,
    )
  }
  return new ServerError(`Failed to use ${path}: ${explainDiskError(error)}. ${advice(error)}`)
}

function advice(error: unknown): string {
  return isDiskFull(error) ? 'Make room, then start again.' : 'Give a folder that can be written.'
}
