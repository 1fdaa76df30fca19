import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import type { Change } from '../../control/state.ts'
import { hostTimers } from '../../engine/clock/timers/host-timers.ts'
import type { ChangeSink } from '../../simulator/state/state.ts'
import { digestOf, headKey, indexKeyOf, StateSum, sumKey } from './state-sum.js'

/**
 * Two kinds of keys. A part and a place: a value as JSON, so that a part is read in the order in which its values were
 * first written. A text of names: the place and the digest of that value.
 */
type Key = string | [part: string, place: number]
type Database = RootDatabase<string, Key>
export type OpenDatabase = (path: string) => Database

/** A value as it is stored, with its names. */
type Entry = readonly [names: readonly string[], value: unknown]

/** The index entry of a value. */
type Indexed = readonly [place: number, digest: string]

/** Enough space for the changes of one request, so that a full disk is noticed before the request has an effect. */
export const reserveBytes = 256 * 1024
/** How long to wait before a failed write is tried again. */
const retryMs = 500

/** TransactionFlags of lmdb: abortable, committed on return and, only in the first, flushed to the disk. */
const flushedWrite = 1 | 2
const unflushedWrite = flushedWrite | 0x10000

/**
 * The values of a state in an LMDB file. Each write is one transaction. When it returns, the system has the data, so it
 * survives `kill -9`. Flushing each write to the disk takes milliseconds, so that is optional.
 */
export class StateStore implements ChangeSink {
  readonly #path: string
  readonly #db: Database
  readonly #flags: number
  readonly #parts: readonly string[]
  readonly #onWarning: (message: string) => void
  readonly #fileId: number
  readonly #reserve: string
  #hasReserve = false
  #places = 0
  #sum = new StateSum()
  readonly #failures = new Map<'reserve' | 'write', { problem: string; retryAtMs: number }>()

  /**
   * @param options `parts` are the parts whose values belong to namespaces.
   * @throws {Error} of LMDB or the system.
   */
  constructor(
    path: string,
    options: {
      open: OpenDatabase
      sync: boolean
      parts: readonly string[]
      onWarning: (message: string) => void
    },
  ) {
    this.#path = path
    this.#flags = options.sync ? flushedWrite : unflushedWrite
    this.#parts = options.parts
    this.#onWarning = options.onWarning
    this.#reserve = join(dirname(path), 'reserve')
    // Files that a killed server left could be links to files elsewhere.
    for (const left of [this.#reserve, `${path}-lock`]) rmSync(left, { force: true })
    this.#makeReserve()
    this.#db = options.open(path)
    // LMDB creates a file that others can read, and the folder may be accessible to others.
    chmodSync(`${path}-lock`, 0o600)
    this.#fileId = statSync(path).ino
    const sum = this.#db.get(sumKey)
    if (sum !== undefined) this.#sum = StateSum.parse(sum)
  }

  /** The header of the store; undefined in a new one. */
  get head(): unknown {
    const text = this.#db.get(headKey)
    return text === undefined ? undefined : JSON.parse(text)
  }

  set head(value: unknown) {
    this.#transact((sum) => this.#putHead(sum, JSON.stringify(value)))
  }

  /** The values of a part, in the order in which they were first written. */
  *read(part: string): Generator<unknown> {
    for (const { key, value } of this.#db.getRange({ start: [part, 0], end: [part, Infinity] })) {
      this.#places = Math.max(this.#places, Number(key[1]))
      yield JSON.parse(value)
    }
  }

  obstacle(): string | undefined {
    return this.#hasReserve ? undefined : this.#attempt('reserve', () => this.#makeReserve())
  }

  write(changes: Iterable<Change>, isEverything: boolean): string | undefined {
    return this.#attempt('write', () => {
      const present = statSync(this.#path, { throwIfNoEntry: false })
      if (present?.ino !== this.#fileId) {
        const what = present ? 'replaced' : 'deleted'
        throw new Error(
          `another program ${what} it. Restart the server: it continues from what is there then`,
        )
      }
      const list = [...changes]
      try {
        this.#commit(list, isEverything)
      } catch (error) {
        // LMDB reports a short write as an input/output error, so any error may mean a full disk.
        if (!this.#hasReserve) throw error
        // The changes of this request exist already. Further requests are refused until the disk has space for the reserve
        // again.
        rmSync(this.#reserve, { force: true })
        this.#hasReserve = false
        this.#commit(list, isEverything)
      }
    })
  }

  async close(): Promise<void> {
    rmSync(this.#reserve, { force: true })
    await this.#db.close()
  }

  #commit(changes: readonly Change[], isEverything: boolean): void {
    this.#transact((sum) => {
      if (isEverything) this.#removeAll(sum)
      for (const [part, names, value] of changes) {
        if (part === 'cleared') this.#clear(sum, names[0]!)
        else if (value === undefined) this.#remove(sum, part, indexKeyOf(part, names))
        else this.#put(sum, part, names, value)
      }
    })
  }

  /** Runs a transaction that also stores the sum of all values. By it, the next start recognises damage. */
  #transact(work: (sum: StateSum) => void): void {
    const sum = this.#sum.copy()
    this.#db.transactionSync(() => {
      work(sum)
      this.#db.putSync(sumKey, String(sum))
    }, this.#flags)
    this.#sum = sum
  }

  #putHead(sum: StateSum, text: string): void {
    const before = this.#db.get(headKey)
    if (before !== undefined) sum.subtract(digestOf(headKey, before))
    this.#db.putSync(headKey, text)
    sum.add(digestOf(headKey, text))
  }

  #put(sum: StateSum, part: string, names: readonly string[], value: unknown): void {
    const key = indexKeyOf(part, names)
    const [known, before] = this.#find(key) ?? []
    const place = known ?? ++this.#places
    const text = JSON.stringify([names, value] satisfies Entry)
    const digest = digestOf([part, place], text)
    if (before !== undefined) sum.subtract(before)
    sum.add(digest)
    this.#db.putSync(key, JSON.stringify([place, digest] satisfies Indexed))
    this.#db.putSync([part, place], text)
  }

  #remove(sum: StateSum, part: string, key: string): void {
    const found = this.#find(key)
    if (!found) return
    const [place, digest] = found
    this.#db.removeSync(key)
    this.#db.removeSync([part, place])
    sum.subtract(digest)
  }

  #removeAll(sum: StateSum): void {
    const head = this.#db.get(headKey)!
    this.#db.clearSync()
    sum.clear()
    this.#putHead(sum, head)
  }

  #find(key: string): Indexed | undefined {
    const text = this.#db.get(key)
    return text === undefined ? undefined : (JSON.parse(text) as Indexed)
  }

  /** Removes every value of a namespace, except values that all namespaces share. */
  #clear(sum: StateSum, namespace: string): void {
    for (const part of this.#parts) {
      const start = `["${part}","${namespace}"`
      const keys = [...this.#db.getKeys({ start, end: `${start}\uffff` })]
      for (const key of keys) this.#remove(sum, part, key as string)
    }
  }

  /** @throws {Error} of the system if the disk is full. */
  #makeReserve(): void {
    try {
      writeFileSync(this.#reserve, Buffer.alloc(reserveBytes), { mode: 0o600 })
      this.#hasReserve = true
    } catch (error) {
      rmSync(this.#reserve, { force: true })
      throw error
    }
  }

  /** Warns once when something fails, and once when everything works again. Doesn't retry at once. */
  #attempt(step: 'reserve' | 'write', work: () => void): string | undefined {
    const failure = this.#failures.get(step)
    if (failure && hostTimers.elapsedMs() < failure.retryAtMs) return failure.problem
    const failedBefore = this.#failures.size > 0
    try {
      work()
      this.#failures.delete(step)
      if (failedBefore && this.#failures.size === 0)
        this.#onWarning(`The state is stored in ${this.#path} again.`)
      return undefined
    } catch (error) {
      const problem = `Failed to store the state in ${this.#path}: ${explainDiskError(error)}.`
      this.#failures.set(step, { problem, retryAtMs: hostTimers.elapsedMs() + retryMs })
      if (!failedBefore)
        this.#onWarning(
          `${problem} Until this is fixed, requests that change something are refused with 503.`,
        )
      return problem
    }
  }
}

/** The reason of a failed system call or transaction, for a message. */
export function explainDiskError(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full'
  const { message } = error as Error
  // LMDB appends details about its buffers, which are removed.
  return message.replace(/: Attempting to write.*$/s, '')
}

/** Whether a system call or a transaction failed because the disk, or the quota of the user, is full. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as { code?: string | number }
  const { ENOSPC, EDQUOT } = constants.errno
  // LMDB reports numbers; 112 is the one of Windows.
  return code === 'ENOSPC' || code === 'EDQUOT' || code === ENOSPC || code === EDQUOT || code === 112
}
