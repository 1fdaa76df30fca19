import { latestInstant } from '../clock-settings.ts'
import type { HostTimers } from './host-timers.ts'

/** The present instant of a clock. It follows the host at a rate, or moves only by {@link moveTo}. It never goes back. */
export class TimeSource {
  readonly #onMove: (now: number) => void
  /** The captured timers, or in mode `host` those that the process has at present. */
  timers: HostTimers
  /** Virtual milliseconds per millisecond of the host; 0 if time moves only by {@link moveTo}. */
  rate = 0
  #anchor: number
  #anchorElapsedMs = 0
  #last: number

  /** @param onMove called on every move, except as the host's time passes. */
  constructor(start: number, timers: HostTimers, onMove: (now: number) => void = () => {}) {
    this.timers = timers
    this.#onMove = onMove
    this.#anchor = start
    this.#last = start
  }

  now(): number {
    if (this.rate === 0) return this.#anchor
    const passedMs = (this.timers.elapsedMs() - this.#anchorElapsedMs) * this.rate
    this.#last = Math.min(latestInstant, Math.max(this.#last, Math.floor(this.#anchor + passedMs)))
    return this.#last
  }

  /** Moves to an instant, unless it is in the past. */
  moveTo(instant: number): void {
    const next = Math.max(this.now(), instant)
    if (next !== this.#last) this.#onMove(next)
    this.#anchor = next
    this.#last = next
    this.#anchorElapsedMs = this.timers.elapsedMs()
  }

  /** Follows other timers, or another rate, from now on. */
  follow(rate: number, timers: HostTimers): void {
    this.moveTo(this.now())
    this.timers = timers
    this.rate = rate
    this.#anchorElapsedMs = timers.elapsedMs()
  }
}

/** The longest delay of the host's timers. A longer wait takes several. */
const maxTimerMs = 2 ** 31 - 1

/** One timer of the host for the next waiter, while time follows the host. */
export class Alarm {
  readonly #source: TimeSource
  readonly #onRing: () => void
  /** Clears the timer with the timers that set it, since they can be replaced. */
  #clear: () => void = () => {}

  /** @param onRing called when the instant may have been reached. */
  constructor(source: TimeSource, onRing: () => void) {
    this.#source = source
    this.#onRing = onRing
  }

  /** Replaces the instant at which it rings. */
  set(instant: number | undefined): void {
    this.#clear()
    const { rate, timers } = this.#source
    if (rate === 0 || instant === undefined || instant === Infinity) return
    const delayMs = Math.max(0, Math.ceil((instant - this.#source.now()) / rate))
    const timer = timers.setTimeout(this.#onRing, Math.min(delayMs, maxTimerMs))
    this.#clear = () => timers.clearTimeout(timer)
  }
}
