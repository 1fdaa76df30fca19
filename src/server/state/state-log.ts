import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Change } from '../../control/state.ts'
import type { ClockMode } from '../../engine/clock/clock-settings.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import { describeFileError } from '../../files/file-error.ts'
import type { ApiVersions } from '../../simulator/state/api-versions.ts'
import type { ChangeSink } from '../../simulator/state/state.ts'
import { ServerError } from '../server.ts'

/** What a state says of itself, in the first line. That line has this form in every format. */
export interface Head {
  readonly greenroom: 'state'
  readonly format: number
  /** The version of greenroom that wrote the state. */
  readonly made: string
  readonly seed: string
  readonly clock: { readonly mode: ClockMode; readonly rate: number }
  /** The versions of the APIs of users. */
  readonly apis: ApiVersions
}

/** How many lines after the first were written together with it, so that none of them can be missing. */
type StoredHead = Head & { readonly lines: number }

/** What a log contains. */
export interface LogContent {
  readonly head: Head
  /** By part and names, in the order in which they were first written. */
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Change>>
  /** Whether its last line is torn. */
  readonly isTorn: boolean
  /** Whether most of its values were replaced by later ones. */
  readonly isMostlyDead: boolean
  /** Where the next line goes. */
  readonly end: LogEnd
}

interface LogEnd {
  readonly length: number
  readonly sum: number
}

/** A checksum of eight digits and a space precede the JSON of a line. */
const sumLength = 9
const newline = 10
/** By how many bytes a log grows, beyond twice its content, until it is compacted while the server runs. */
const maxGrowth = 64_000_000
const chunkBytes = 1_000_000
/** How long to wait before a failed write is tried again. */
const retryMs = 500

const prefixOf = (sum: number): string => `${sum.toString(16).padStart(8, '0')} `

/** A line, and its checksum, which continues that of the line before. So no line can be missing, doubled or moved. */
export function lineOf(value: unknown, before: number): { line: Buffer; sum: number } {
  const line = Buffer.from(`${' '.repeat(sumLength)}${JSON.stringify(value)}\n`)
  const sum = crc32(line.subarray(sumLength, -1), before)
  line.write(prefixOf(sum), 'latin1')
  return { line, sum }
}

/**
 * Reads a log and replays its changes.
 *
 * @param sharedParts the parts whose values don't belong to namespaces.
 * @throws {ServerError} for a damaged file. A torn last line is no damage: its request was never answered.
 */
export function readLog(
  path: string,
  sharedParts: ReadonlySet<string>,
  checkHead: (head: Head) => void,
): LogContent {
  const content = readFileSync(path)
  const damage = (where: number, what: string): ServerError =>
    new ServerError(
      `The state is damaged at ${path}:${where}: ${what}. ` +
        'Restore a copy of that file, or move it away to start without its tasks.',
    )
  let [at, sum, line] = [0, 0, 0]
  const next = (): unknown => {
    const end = content.indexOf(newline, at)
    if (end === -1) return undefined
    line += 1
    const body = content.subarray(at + sumLength, end)
    sum = crc32(body, sum)
    if (content.toString('latin1', at, at + sumLength) !== prefixOf(sum))
      throw damage(line, 'the line does not match its checksum')
    at = end + 1
    return JSON.parse(String(body)) as unknown
  }
  if (content.length === 0) throw damage(1, 'the file is empty')
  if (!/^[0-9a-f]{8} \{"greenroom":"state"/.test(content.toString('latin1', 0, 60))) throw notOurs(path)
  const head = next() as StoredHead | undefined
  if (!head) throw damage(1, 'the file ends in this line')
  checkHead(head)
  const values = new Map<string, Map<string, Change>>()
  let [changes, live] = [0, 0]
  for (let list = next(); list !== undefined; list = next()) {
    for (const change of list as Change[]) {
      changes += 1
      replay(change, values, sharedParts)
    }
  }
  if (line - 1 < head.lines)
    throw damage(line + 1, `the file ends here, but had ${head.lines + 1} lines at least`)
  for (const part of values.values()) live += part.size
  const isTorn = at < content.length
  return { head, values, isTorn, isMostlyDead: changes > 2 * live, end: { length: at, sum } }
}

function replay(
  change: Change,
  values: Map<string, Map<string, Change>>,
  sharedParts: ReadonlySet<string>,
): void {
  const [part, names] = change
  const key = JSON.stringify(names)
  if (part === 'cleared') {
    const start = key.slice(0, -1)
    for (const [name, each] of values)
      if (!sharedParts.has(name)) for (const one of each.keys()) if (one.startsWith(start)) each.delete(one)
  } else if (change.length === 2) values.get(part)?.delete(key)
  else {
    if (!values.has(part)) values.set(part, new Map())
    values.get(part)!.set(key, change)
  }
}

const notOurs = (path: string): ServerError =>
  new ServerError(
    `${path} is no state of greenroom, or its first line is damaged. Restore a copy of that file, or give another folder.`,
  )

/** How a log is written. */
export interface StateLogOptions {
  readonly path: string
  readonly head: Head
  /** All values, to compact the log. */
  readonly values: () => Iterable<Change>
  readonly onWarning: (message: string) => void
  /** Writes bytes into a file. Tests pass a function that fails. */
  readonly write?: typeof writeSync | undefined
  readonly growth?: number | undefined
}

/**
 * A state as a log: a header, and a line for the changes of each request. When a write returns, the system has the line, so
 * it survives `kill -9`.
 */
export class StateLog implements ChangeSink {
  readonly #options: StateLogOptions
  #file: number | undefined
  #end: LogEnd = { length: 0, sum: 0 }
  /** The length at which the log is compacted. */
  #limit = 0
  #failure: { readonly problem: string; readonly retryAtMs: number } | undefined

  /**
   * @param end the end of the existing log; without it, a new log is written.
   * @throws {Error} of the system.
   */
  constructor(options: StateLogOptions, end: LogEnd | undefined) {
    this.#options = options
    if (end) this.#open(end)
    else this.#rewrite(options.values())
  }

  write(changes: Iterable<Change>, isEverything: boolean): string | undefined {
    if (this.#failure && hostTimers.elapsedMs() < this.#failure.retryAtMs) return this.#failure.problem
    const { path, onWarning } = this.#options
    try {
      if (isEverything) this.#rewrite(changes)
      else this.#append([...changes])
    } catch (error) {
      const problem = `Failed to store the state in ${path}: ${describeFileError(error)}.`
      if (!this.#failure)
        onWarning(`${problem} Until this is fixed, requests that change something are refused with 503.`)
      this.#failure = { problem, retryAtMs: hostTimers.elapsedMs() + retryMs }
      return problem
    }
    if (this.#failure) onWarning(`The state is stored in ${path} again.`)
    this.#failure = undefined
    if (this.#end.length > this.#limit) this.compact()
    return undefined
  }

  /** Replaces the log by one with the present values only. If that fails, the log continues. */
  compact(): void {
    try {
      this.#rewrite(this.#options.values())
    } catch {
      this.#setLimit()
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #append(changes: readonly Change[]): void {
    const { line, sum } = lineOf(changes, this.#end.sum)
    const { length } = this.#end
    // The write that failed may have left part of a line.
    if (this.#failure) ftruncateSync(this.#file!, length)
    this.#writeAll(this.#file!, line, length)
    this.#end = { length: length + line.length, sum }
  }

  /** Writes another file, and replaces the log by it. */
  #rewrite(changes: Iterable<Change>): void {
    const { path, head } = this.#options
    const draft = `${path}.new`
    rmSync(draft, { force: true })
    const all = [...changes]
    const file = openSync(draft, 'wx', 0o600)
    let end: LogEnd = { length: 0, sum: 0 }
    try {
      let [pending, pendingBytes]: [Buffer[], number] = [[], 0]
      const flush = (): void => {
        this.#writeAll(file, Buffer.concat(pending), end.length - pendingBytes)
        ;[pending, pendingBytes] = [[], 0]
      }
      const add = (value: unknown): void => {
        const { line, sum } = lineOf(value, end.sum)
        end = { length: end.length + line.length, sum }
        pendingBytes += line.length
        if (pending.push(line) && pendingBytes > chunkBytes) flush()
      }
      add({ ...head, lines: all.length } satisfies StoredHead)
      for (const change of all) add([change])
      flush()
      // After a loss of power, the name must not lead to a file whose content is missing.
      fsyncSync(file)
    } catch (error) {
      closeSync(file)
      rmSync(draft, { force: true })
      throw error
    }
    closeSync(file)
    // Windows renames no file over one that is open.
    const wasOpen = this.#file !== undefined
    this.close()
    try {
      renameSync(draft, path)
    } catch (error) {
      if (wasOpen && existsSync(path)) this.#open(this.#end)
      throw error
    }
    this.#open(end)
  }

  #open(end: LogEnd): void {
    this.#file = openSync(this.#options.path, 'r+')
    this.#end = end
    this.#setLimit()
  }

  #setLimit(): void {
    this.#limit = 2 * this.#end.length + (this.#options.growth ?? maxGrowth)
  }

  #writeAll(file: number, bytes: Buffer, position: number): void {
    const { write = writeSync } = this.#options
    for (let done = 0; done < bytes.length;)
      done += write(file, bytes, done, bytes.length - done, position + done)
  }
}
