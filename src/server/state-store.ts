import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import type { Change } from '../control/state.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import { hash128Hex } from '../engine/random/hash.ts'
import type { ChangeSink } from '../simulator/state/state.ts'

/**
 * Values by part and place, so that a part is read in the order in which its values were first written; and the place of
 * each value by the text of its names.
 */
type Key = string | [part: string, place: number]
type Database = RootDatabase<unknown, Key>
export type OpenDatabase = (path: string) => Database

/** A value as it is stored, with its names. */
type Entry = readonly [names: readonly string[], value: unknown]

const headKey = 'head'
/** LMDB takes keys of 1978 bytes. */
const maxKeyLength = 600
/** Room for the changes of one request, so that a full disk is noticed before anything is done. */
const reserveBytes = 256 * 1024
/** How often a write that fails is tried again. */
const retryMs = 500

/** TransactionFlags of lmdb: abortable and committed on return; without the last, also flushed to the disk. */
const flushed = 1 | 2
const unflushed = flushed | 0x10000

/**
 * The values of a state in an LMDB file. Each write is one transaction, which the system has when it returns: so it survives
 * `kill -9`. Flushing every write to the disk costs milliseconds, and is up to the user.
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
  readonly #failures = new Map<'reserve' | 'write', { problem: string; retryAtMs: number }>()

  /**
   * @param options `parts` are those whose values belong to namespaces.
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
    this.#flags = options.sync ? flushed : unflushed
    this.#parts = options.parts
    this.#onWarning = options.onWarning
    this.#reserve = join(dirname(path), 'reserve')
    this.#makeReserve()
    const isNew = !existsSync(path)
    this.#db = options.open(path)
    // LMDB creates files that others can read, and the folder may be open to others.
    if (isNew) for (const file of [path, `${path}-lock`]) chmodSync(file, 0o600)
    this.#fileId = statSync(path).ino
  }

  /** What the store says of itself; undefined in a new one. */
  get head(): unknown {
    return this.#db.get(headKey)
  }

  set head(value: unknown) {
    this.#db.transactionSync(() => this.#db.putSync(headKey, value), this.#flags)
  }

  get isEmpty(): boolean {
    const [first] = this.#db.getKeys({ limit: 1 })
    return first === undefined
  }

  /** The values of a part, in the order in which they were first written. */
  *read(part: string): Generator<unknown> {
    for (const { key, value } of this.#db.getRange({ start: [part, 0], end: [part, Infinity] })) {
      this.#places = Math.max(this.#places, Number(key[1]))
      yield value
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
        // These changes are made already. The next ones are refused until there is room for the reserve again.
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
    const db = this.#db
    db.transactionSync(() => {
      if (isEverything) {
        const { head } = this
        db.clearSync()
        db.putSync(headKey, head)
      }
      for (const [part, names, value] of changes) {
        if (part === 'cleared') this.#clear(names[0]!)
        else if (value === undefined) this.#remove(part, keyOf(part, names))
        else this.#put(part, names, value)
      }
    }, this.#flags)
  }

  #put(part: string, names: readonly string[], value: unknown): void {
    const key = keyOf(part, names)
    const known = this.#db.get(key)
    const place = typeof known === 'number' ? known : ++this.#places
    if (place !== known) this.#db.putSync(key, place)
    this.#db.putSync([part, place], [names, value] satisfies Entry)
  }

  #remove(part: string, key: string): void {
    const place = this.#db.get(key)
    this.#db.removeSync(key)
    if (typeof place === 'number') this.#db.removeSync([part, place])
  }

  /** Removes every value of a namespace, except those that belong to all namespaces together. */
  #clear(namespace: string): void {
    for (const part of this.#parts) {
      const start = `["${part}","${namespace}"`
      const keys = [...this.#db.getKeys({ start, end: `${start}\uffff` })]
      for (const key of keys) this.#remove(part, key as string)
    }
  }

  /** @throws {Error} of the system when the disk has no room for it. */
  #makeReserve(): void {
    try {
      writeFileSync(this.#reserve, Buffer.alloc(reserveBytes), { mode: 0o600 })
      this.#hasReserve = true
    } catch (error) {
      rmSync(this.#reserve, { force: true })
      throw error
    }
  }

  /** Warns once when something fails, and once when all works again. Doesn't try again at once. */
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

function keyOf(part: string, names: readonly string[]): string {
  const key = JSON.stringify([part, ...names])
  return key.length <= maxKeyLength ? key : JSON.stringify([part, names[0]!.slice(0, 64), hash128Hex(key)])
}

/** The reason of a failed system call or transaction, for a message. */
export function explainDiskError(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full'
  const { message } = error as Error
  // What LMDB appends is about its buffers.
  return message.replace(/: Attempting to write.*$/s, '')
}

/** Whether a system call or a transaction failed because the disk, or the quota of the user, is full. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as { code?: string | number }
  const { ENOSPC, EDQUOT } = constants.errno
  // LMDB gives numbers; 112 is that of Windows.
  return code === 'ENOSPC' || code === 'EDQUOT' || code === ENOSPC || code === EDQUOT || code === 112
}
