import { openSync, readSync, closeSync } from 'node:fs'

/** Measures the processor time of this thread between two turns of the event loop: other programs don't count. */
export class TurnMeter implements Disposable {
  readonly #file = openThreadTimes()
  readonly #buffer = Buffer.alloc(100)
  #last = 0
  #longest = 0
  #next: NodeJS.Immediate | undefined

  /** Starts a new measurement. */
  start(): void {
    this.#longest = 0
    this.#last = this.#now()
    this.#next ??= setImmediate(() => this.#turn())
  }

  /** @returns the milliseconds of processor time that the longest turn took since {@link start}. */
  stop(): number {
    if (this.#next) clearImmediate(this.#next)
    this.#next = undefined
    return Math.max(this.#longest, this.#now() - this.#last)
  }

  [Symbol.dispose](): void {
    this.stop()
    if (this.#file !== undefined) closeSync(this.#file)
  }

  /** A pending immediate keeps the loop from sleeping, so every iteration is measured. */
  #turn(): void {
    const now = this.#now()
    this.#longest = Math.max(this.#longest, now - this.#last)
    this.#last = now
    this.#next = setImmediate(() => this.#turn())
  }

  #now(): number {
    if (this.#file === undefined) {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1_000
    }
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0)
    return Number(this.#buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6
  }
}

/** Linux reports nanoseconds per thread. Elsewhere, uses those of the process. */
function openThreadTimes(): number | undefined {
  try {
    return openSync('/proc/thread-self/schedstat', 'r')
  } catch {
    return undefined
  }
}
