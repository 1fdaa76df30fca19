import type { HostTimers } from './host-timers.ts'
import type { TimeSource } from './time-source.ts'

/** The longest delay the host's timers take; a longer wait is wound again when it runs out. */
const maxTimerMs = 2 ** 31 - 1

/** One timer of the host, for whoever is due next while time passes with the host's. */
export class Alarm {
  readonly #present: TimeSource
  readonly #ring: () => void
  /** Timers may be exchanged; one is cleared where it was set. */
  #clear: () => void = () => {}

  /** @param ring called when an instant was reached, or might have been. */
  constructor(present: TimeSource, ring: () => void) {
    this.#present = present
    this.#ring = ring
  }

  /** Rings at an instant instead of what was set before; never, where time doesn't come there by itself. */
  set(instant: number | undefined): void {
    this.#clear()
    const { rate, timers } = this.#present
    if (rate === 0 || instant === undefined || instant === Infinity) return
    const delayMs = Math.max(0, Math.ceil((instant - this.#present.now()) / rate))
    const timer: ReturnType<HostTimers['setTimeout']> = timers.setTimeout(
      this.#ring,
      Math.min(delayMs, maxTimerMs),
    )
    this.#clear = () => timers.clearTimeout(timer)
  }
}
