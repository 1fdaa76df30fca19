import { hostTimers } from '../../engine/clock/timers/host-timers.ts'

/** The owner of a timer. */
interface TimerHost {
  readonly now: () => number
  /** Starts a timer. @returns its id. */
  readonly add: (timeout: VirtualTimeout, delayMs: number) => number
  readonly drop: (id: number) => void
  /** Fires a timer that is due. */
  readonly fire: (id: number) => void
  /** Called when a timer begins or stops to keep the process alive. */
  readonly referencesChanged: () => void
}

export interface TimeoutOptions {
  readonly repeats: boolean
  /** Whether it keeps the process alive. Default true. */
  readonly isReferenced?: boolean
}

/** What `setTimeout` and `setInterval` return, with the methods of Node's `Timeout`. */
export class VirtualTimeout {
  readonly #timers: TimerHost
  readonly #callback: () => void
  readonly #delayMs: number
  readonly #repeats: boolean
  #isReferenced: boolean
  #startedAt = 0
  #id = 0

  constructor(timers: TimerHost, callback: () => void, delayMs: number, options: TimeoutOptions) {
    this.#timers = timers
    this.#callback = callback
    this.#delayMs = delayMs
    this.#repeats = options.repeats
    this.#isReferenced = options.isReferenced ?? true
    this.#start()
  }

  #start(): void {
    this.#startedAt = this.#timers.now()
    this.#id = this.#timers.add(this, this.#delayMs)
  }

  /** Calls the callback at its time. */
  fire(): void {
    if (this.#repeats) this.#start()
    this.#callback()
  }

  /** Lets the rest of the wait pass on the host's timers. */
  fireInRealTime(id: number, delayMs = this.#startedAt + this.#delayMs - this.#timers.now()): void {
    const timer = hostTimers.setTimeout(() => this.#timers.fire(id), Math.max(1, delayMs))
    if (!this.#isReferenced) timer.unref()
  }

  hasRef(): boolean {
    return this.#isReferenced
  }

  ref(): this {
    this.#isReferenced = true
    this.#timers.referencesChanged()
    return this
  }

  unref(): this {
    this.#isReferenced = false
    this.#timers.referencesChanged()
    return this
  }

  refresh(): this {
    this.close()
    this.#start()
    return this
  }

  close(): this {
    this.#timers.drop(this.#id)
    return this
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** The id as a number, because timers may be cleared by it. */
  [Symbol.toPrimitive](): number {
    return this.#id
  }
}
