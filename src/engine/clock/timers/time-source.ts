import { latestInstant } from '../clock-settings.ts'
import type { HostTimers } from './host-timers.ts'

/**
 * The present instant of a clock: it stands, or follows the host at a rate. It never goes back, whatever the host's
 * time does.
 */
export class TimeSource {
  readonly #onMove: (now: number) => void
  /** What time is told by: the captured timers, or in mode `host` those that the process has at present. */
  timers: HostTimers
  /** Virtual milliseconds in one of the host's; 0 where time stands until it is moved. */
  rate = 0
  #anchor: number
  #anchorElapsedMs = 0
  #last: number

  /** @param onMove told of every move that isn't the mere passing of the host's time. */
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

  /** Moves to an instant, unless that lies in the past; time goes on from there. */
  moveTo(instant: number): void {
    const next = Math.max(this.now(), instant)
    if (next !== this.#last) this.#onMove(next)
    this.#anchor = next
    this.#last = next
    this.#anchorElapsedMs = this.timers.elapsedMs()
  }

  /** Follows other timers, or at another rate, from here on. */
  follow(rate: number, timers: HostTimers): void {
    this.moveTo(this.now())
    this.timers = timers
    this.rate = rate
    this.#anchorElapsedMs = timers.elapsedMs()
  }
}
