import type { HostTimers } from './timers/host-timers.ts'
import type { Waiters } from './waiters.ts'

/** How long a response waits in real time before it is reported: scripts that advance the clock are faster. */
const reportAfterMs = 1_000

/** Reports a response that waits on a clock in mode `manual`: nothing moves it, and its client seems to hang. */
export class ManualWait {
  readonly #host: HostTimers
  readonly #waiters: Waiters
  readonly #onWait: () => void
  #timer: ReturnType<HostTimers['setTimeout']> | undefined
  #isReported = false

  /** @param onWait called once for each standstill. */
  constructor(host: HostTimers, waiters: Waiters, onWait: () => void) {
    this.#host = host
    this.#waiters = waiters
    this.#onWait = onWait
  }

  /** Checks the waiters after they or the mode have changed. */
  check(isManual: boolean): void {
    if (!isManual || this.#waiters.size === 0) return this.reset()
    if (this.#isReported || this.#timer !== undefined) return
    const report = (): void => {
      this.#timer = undefined
      if (!this.#waiters.list().some(({ waiting, due }) => waiting.kind === 'answer' && due < Infinity))
        return
      this.#isReported = true
      this.#onWait()
    }
    this.#timer = this.#host.setTimeout(report, reportAfterMs)
    // A process with nothing else to do must not stay alive for a report. Browsers have numbers for timers.
    const timer = this.#timer as { unref?: () => void }
    timer.unref?.()
  }

  /** Starts over: the clock has moved, or nobody waits. */
  reset(): void {
    this.#isReported = false
    if (this.#timer === undefined) return
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
