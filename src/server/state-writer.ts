import * as fs from 'node:fs'

/** What a writer asks of the disk; tests give one that is full. */
export type Disk = Pick<
  typeof fs,
  | 'openSync'
  | 'writeSync'
  | 'ftruncateSync'
  | 'fsync'
  | 'fsyncSync'
  | 'fstatSync'
  | 'closeSync'
  | 'renameSync'
>

type FileIdentity = Pick<fs.Stats, 'dev' | 'ino'>

function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino
}

/** So much is set aside. What a request changes hardly ever takes more. */
const roomBytes = 64 * 1024
const blanks = Buffer.alloc(roomBytes, '\n')

/**
 * Appends lines to a file, and sets room aside for those to come: a disk that is full says so before anything was
 * decided, not after. What is written has reached the system, so it outlives the process.
 */
export class StateWriter {
  readonly file: number
  readonly #disk: Disk
  #end: number
  #roomEnd: number
  #tailIsTorn = false
  readonly #identity: FileIdentity
  /** False on file systems, such as some network shares, where one file has several inode numbers. */
  readonly #hasIdentity: boolean

  /** @param start where the first line goes; what lies behind it is cut off. */
  constructor(path: string, { start, disk = fs }: { start: number; disk?: Disk }) {
    this.#disk = disk
    this.file = disk.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600)
    this.#end = start
    this.#roomEnd = start
    disk.ftruncateSync(this.file, start)
    this.#identity = disk.fstatSync(this.file)
    this.#hasIdentity = isSameFile(fs.statSync(path), this.#identity)
  }

  /** Where the next line goes. */
  get end(): number {
    return this.#end
  }

  /**
   * Whether a path still names this file, and no other program has changed its length. If not, what is written here
   * can't be read from the path after a restart.
   */
  isIntactAt(path: string): boolean {
    if (!this.#hasIdentity) return this.#disk.fstatSync(this.file).nlink > 0
    const found = fs.statSync(path, { throwIfNoEntry: false })
    if (!found || !isSameFile(found, this.#identity)) return false
    return this.#tailIsTorn || found.size === this.#roomEnd
  }

  /** Sets room aside. @throws {Error} of the system when there is none. */
  makeRoom(): void {
    if (!this.#tailIsTorn && this.#roomEnd - this.#end >= roomBytes / 2) return
    this.#mend()
    // Each time as far beyond the end: with less the next one would find the room that this one has missed.
    const missing = this.#end + roomBytes - this.#roomEnd
    this.#writeAll(blanks.subarray(0, missing), this.#roomEnd)
    this.#roomEnd += missing
  }

  /** Appends a line. @throws {Error} of the system; then nothing was appended. */
  append(line: string): void {
    this.#mend()
    const bytes = Buffer.from(line)
    this.#writeAll(bytes, this.#end)
    this.#end += bytes.length
    this.#roomEnd = Math.max(this.#roomEnd, this.#end)
  }

  sync(): void {
    this.#disk.fsyncSync(this.file)
  }

  /** Gives back the room that wasn't used, and closes the file. */
  close(): void {
    try {
      this.#disk.ftruncateSync(this.file, this.#end)
    } finally {
      this.#disk.closeSync(this.file)
    }
  }

  /** A part of a line that didn't fit is cut off, or a shorter one would leave its end behind. */
  #mend(): void {
    if (!this.#tailIsTorn) return
    this.#disk.ftruncateSync(this.file, this.#end)
    this.#roomEnd = this.#end
    this.#tailIsTorn = false
  }

  #writeAll(bytes: Buffer, position: number): void {
    let written = 0
    try {
      while (written < bytes.length) {
        written += this.#disk.writeSync(this.file, bytes, written, bytes.length - written, position + written)
      }
    } catch (error) {
      this.#tailIsTorn = true
      throw error
    }
  }
}

/** The reason of a failed system call, for a message. */
export function explainDiskError(error: unknown): string {
  return isDiskFull(error) ? 'the disk is full' : (error as Error).message
}

/** Whether a system call failed for want of room. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EDQUOT'
}
