import { hostTimers, unref } from '../../engine/clock/timers/host-timers.ts'
import type { Activity } from './activity.ts'
import type { ClockClient } from './clock-client.ts'

/** Shorter waits stay real: they put work off, and move no task. */
const minVirtualMs = 20

/** Node's own limit: longer delays become 1 ms. */
const maxDelayMs = 2 ** 31 - 1

const checkMs = 4

/** What `setTimeout` and `setInterval` return, with the methods of Node's `Timeout`. */
export class VirtualTimeout {
  readonly #timers: VirtualTimers
  readonly #callback: () => void
  readonly #delayMs: number
  readonly #repeats: boolean
  #cancellation = new AbortController()
  #isReferenced = true

  constructor(timers: VirtualTimers, callback: () => void, delayMs: number, repeats: boolean) {
    this.#timers = timers
    this.#callback = callback
    this.#delayMs = delayMs
    this.#repeats = repeats
  }

  start(): void {
    const { signal } = this.#cancellation
    const passed = this.#timers.wait(this, this.#delayMs, signal)
    void passed.then((isPassed) => {
      if (!isPassed || signal.aborted) return
      if (this.#repeats) this.start()
      this.#callback()
    })
  }

  hasRef(): boolean {
    return this.#isReferenced
  }

  ref(): this {
    this.#isReferenced = true
    this.#timers.check()
    return this
  }

  unref(): this {
    this.#isReferenced = false
    return this
  }

  refresh(): this {
    this.close()
    this.#cancellation = new AbortController()
    this.start()
    return this
  }

  close(): this {
    this.#cancellation.abort()
    return this
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Timers that pass by the clock of a simulator. */
export class VirtualTimers {
  readonly #clock: ClockClient
  readonly #activity: Activity
  readonly #pending = new Map<AbortSignal, VirtualTimeout>()
  #offsetMs: number
  #isChecking = false
  #rest: AbortController | undefined

  /** @param now the time of the clock. */
  constructor(clock: ClockClient, activity: Activity, now: number) {
    this.#clock = clock
    this.#activity = activity
    this.#offsetMs = now - hostTimers.elapsedMs()
  }

  /** The clock's time when it was last heard of, and the real time since. */
  now(): number {
    return Math.floor(hostTimers.elapsedMs() + this.#offsetMs)
  }

  /** @returns undefined for a wait that stays real. */
  create(callback: () => void, delay: unknown, repeats: boolean): VirtualTimeout | undefined {
    const delayMs = Math.trunc(Number(delay))
    if (!(delayMs >= minVirtualMs && delayMs <= maxDelayMs)) return undefined
    const timeout = new VirtualTimeout(this, callback, delayMs, repeats)
    timeout.start()
    return timeout
  }

  /** @returns whether the time passed: not if the signal aborted the wait, or the simulator has ended. */
  async wait(timeout: VirtualTimeout, delayMs: number, signal: AbortSignal): Promise<boolean> {
    this.#pending.set(signal, timeout)
    this.check()
    try {
      const now = await this.#clock.waitForDeadline(delayMs, { signal, isReferenced: false })
      this.#offsetMs = now - hostTimers.elapsedMs()
      return true
    } catch {
      return false
    } finally {
      this.#pending.delete(signal)
      this.#rest?.abort()
    }
  }

  /** Rests on the clock as soon as this process only waits for timers that keep it alive. */
  check(): void {
    if (this.#isChecking || this.#rest) return
    this.#isChecking = true
    const look = (): void => {
      if (!this.#isWaiting()) this.#isChecking = false
      else if (this.#activity.isIdle()) this.#startRest()
      else hostTimers.setTimeout(look, checkMs)
    }
    hostTimers.setTimeout(look, checkMs)
  }

  #isWaiting(): boolean {
    return [...this.#pending.values()].some((timeout) => timeout.hasRef())
  }

  #startRest(): void {
    const rest = new AbortController()
    this.#rest = rest
    this.#isChecking = false
    const watch = (): void => {
      if (rest.signal.aborted) return
      if (this.#isWaiting() && this.#activity.isIdle()) unref(hostTimers.setTimeout(watch, checkMs))
      else rest.abort()
    }
    watch()
    const ended = (): void => {
      this.#rest = undefined
      if (this.#isWaiting()) this.check()
    }
    void this.#clock.sleep({ signal: rest.signal, isReferenced: true }).then(ended, ended)
  }
}
