import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import type { Change, ChangeSink } from '../state/state.ts'
import { makeFolder } from '../media/cache/make-folder.ts'
import { lineOf } from './state-lines.ts'
import { explainDiskError, StateWriter, type Disk } from './state-writer.ts'

/** What a state file needs beside its path. */
export interface StateFileOptions {
  /** The first line. */
  readonly head: object
  /** Every value there is, read when it is asked for. */
  readonly values: () => Iterable<Change>
  readonly onWarning: (message: string) => void
  /** Sees to it that the folder is this server's, before anything there is replaced. @throws when it is another's. */
  readonly hold: () => void
  /** Whether the folder is still locked by this server. */
  readonly isHeld: () => boolean
  readonly disk?: Disk
  /** How large the file may get before it is written anew for the first time. */
  readonly defaultBytes?: number
}

/** What is there of a state file when it is opened. */
export interface FoundFile {
  /** Where its sound part ends; 0 for a file that is to be begun. */
  readonly start: number
  /** Where that ends which was written when it was written anew; 0 where it never was. */
  readonly wholeEnd: number
}

/** How many values go into one line when everything is written anew, and how many lines into one turn. */
const valuesInLine = 50
const linesInTurn = 4

/** The line behind all that was written anew, which changes nothing: up to there the file says no more than is. */
const wholeLine = lineOf([])

/**
 * The file in which a state is kept: a first line that says what it is, then one for each admission that changed
 * something. When it has grown to twice of what it says, it is written anew beside the old one, a little in each turn, and
 * takes its place when it is whole: at any moment one of the two is.
 */
export class StateFile implements ChangeSink {
  readonly #path: string
  readonly #options: StateFileOptions
  #writer: StateWriter
  /** The file that will take the place of this one. */
  #next: { writer: StateWriter; values: Iterator<Change> } | undefined
  #wholeBytes = 0
  /** Why there is no room for what comes, and why what came couldn't be written. */
  readonly #problems = new Map<'room' | 'write', string>()
  #why = ''
  /** When everything may be written anew again, after that has failed. */
  #retryAtMs = 0

  /** @param found what is there already. */
  constructor(path: string, { start, wholeEnd }: FoundFile, options: StateFileOptions) {
    this.#path = path
    this.#options = options
    this.#writer = this.#open(path, start)
    if (start === 0) this.#writer.append(lineOf(options.head))
    this.#wholeBytes = wholeEnd
  }

  /**
   * Hears when the disk has all that was written by now.
   * @param done with whether it failed: then the system may have dropped what it could not write.
   */
  whenSynced(done: (failed: boolean) => void): void {
    const { disk = fs } = this.#options
    const { file } = this.#writer
    // A file that was written anew meanwhile is on the disk already.
    disk.fsync(file, (error) => done(error !== null && file === this.#writer.file))
  }

  /** How much was written; it only grows until the file is written anew. */
  get end(): number {
    return this.#writer.end
  }

  obstacle(): string | undefined {
    return this.#attempt('room', () => {
      if (!this.#isIntact) this.#rewrite()
      this.#writer.makeRoom()
    })
  }

  write(changes: readonly Change[] | undefined): string | undefined {
    return this.#attempt('write', () => {
      if (!changes) return this.#rewrite()
      const line = lineOf(changes)
      this.#writer.append(line)
      this.#appendToNext(line)
      if (this.#writer.end > 2 * this.#wholeBytes + (this.#options.defaultBytes ?? 16_000_000))
        this.#beginAnew()
    })
  }

  /** Writes what the system still has in memory to the disk. */
  sync(): void {
    this.#writer.sync()
  }

  close(): void {
    this.#abandon()
    // A deleted file stays deleted: a test may remove the folder before it stops the server.
    const isReplaced = !this.#isIntact && fs.existsSync(this.#path)
    if (isReplaced && this.#options.isHeld()) this.#attempt('write', () => this.#rewrite())
    this.#writer.close()
  }

  get #isIntact(): boolean {
    return this.#writer.isIntactAt(this.#path)
  }

  /** Tells once that something fails, and once that nothing does any longer. */
  #attempt(what: 'room' | 'write', work: () => void): string | undefined {
    const failedBefore = this.#problems.size > 0
    try {
      work()
      this.#problems.delete(what)
    } catch (error) {
      this.#why = explainDiskError(error)
      const problem = `Failed to keep the state in ${this.#path}: ${this.#why}. Make room, or give another folder.`
      this.#problems.set(what, problem)
    }
    const problem = this.#problems.get(what)
    const { onWarning } = this.#options
    if (problem !== undefined && !failedBefore) {
      onWarning(`${problem} Until then what changes something is refused with 503.`)
    }
    if (failedBefore && this.#problems.size === 0) onWarning(`The state is kept in ${this.#path} again.`)
    return problem
  }

  #open(path: string, start: number): StateWriter {
    const { disk } = this.#options
    return new StateWriter(path, { start, ...(disk && { disk }) })
  }

  /** Writes everything anew at once: where the file is gone, or says nothing that is still true. */
  #rewrite(): void {
    // It takes its time, and whoever comes meanwhile is told the same.
    if (this.#problems.size > 0 && hostTimers.elapsedMs() < this.#retryAtMs) throw new Error(this.#why)
    this.#retryAtMs = hostTimers.elapsedMs() + 1_000
    this.#abandon()
    makeFolder(dirname(this.#path))
    const next = this.#begin()
    try {
      while (!this.#fill(next)) continue
      this.#takePlace(next.writer)
    } catch (error) {
      next.writer.close()
      throw error
    }
  }

  /** Begins to write everything anew, beside whatever else happens. */
  #beginAnew(): void {
    if (this.#next) return
    this.#next = this.#begin()
    this.#goOn()
  }

  #begin(): { writer: StateWriter; values: Iterator<Change> } {
    this.#options.hold()
    const writer = this.#open(`${this.#path}.new`, 0)
    writer.append(lineOf(this.#options.head))
    return { writer, values: this.#options.values()[Symbol.iterator]() }
  }

  #goOn(): void {
    hostTimers.setImmediate(() => {
      const next = this.#next
      if (!next) return
      try {
        for (let lines = 0; lines < linesInTurn; lines++)
          if (this.#fill(next)) return this.#finish(next.writer)
        this.#goOn()
      } catch {
        // There is no room for two. The old one is whole, and it is tried again when that has grown further.
        this.#giveUp()
      }
    })
  }

  /** Writes one more line of values. @returns whether that was the last. */
  #fill({ writer, values }: { writer: StateWriter; values: Iterator<Change> }): boolean {
    const some: Change[] = []
    let isLast = false
    while (some.length < valuesInLine && !isLast) {
      const { done, value } = values.next()
      if (done) isLast = true
      else some.push(value)
    }
    if (some.length > 0) writer.append(lineOf(some))
    if (isLast) writer.append(wholeLine)
    return isLast
  }

  #finish(writer: StateWriter): void {
    // The disk may take its time; what changes meanwhile goes into both files.
    const { disk = fs } = this.#options
    disk.fsync(writer.file, (error) => {
      if (this.#next?.writer !== writer) return
      try {
        if (error) throw error
        this.#takePlace(writer)
      } catch {
        this.#giveUp()
      }
    })
  }

  #takePlace(writer: StateWriter): void {
    writer.sync()
    const { disk = fs } = this.#options
    if (!this.#isIntact) this.#moveForeignFile()
    disk.renameSync(`${this.#path}.new`, this.#path)
    const old = this.#writer
    this.#writer = writer
    this.#next = undefined
    this.#wholeBytes = writer.end
    disk.closeSync(old.file)
    syncFolder(dirname(this.#path))
  }

  /** Another program put a file in the place of the state, or wrote into it: that content is not lost either. */
  #moveForeignFile(): void {
    if (!fs.existsSync(this.#path)) return
    const target = `${this.#path}.replaced`
    fs.renameSync(this.#path, target)
    this.#options.onWarning(
      `Another program changed ${this.#path} while the server runs. The changed file is now ${target}, and the ` +
        'state of the server was written again. To use the changed file, stop the server before you put it in place.',
    )
  }

  /** What changes while everything is written anew stands behind it there, too. */
  #appendToNext(line: string): void {
    try {
      this.#next?.writer.append(line)
    } catch {
      this.#giveUp()
    }
  }

  #giveUp(): void {
    this.#abandon()
    this.#wholeBytes = this.#writer.end
  }

  #abandon(): void {
    const next = this.#next
    this.#next = undefined
    if (!next) return
    try {
      next.writer.close()
      fs.rmSync(`${this.#path}.new`, { force: true })
    } catch {
      // What is left of it is removed with the next start.
    }
  }
}

/** A name in a folder is kept by the folder. Not every system lets one open it. */
function syncFolder(folder: string): void {
  try {
    const file = fs.openSync(folder, 'r')
    fs.fsyncSync(file)
    fs.closeSync(file)
  } catch {
    // Then it does so by itself.
  }
}
