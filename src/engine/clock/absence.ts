import type { HostTimers } from './timers/host-timers.ts'
import type { Waiters } from './waiters.ts'

/** How long a participant may work between two waits, in real time, before it is reported. */
export const maxAbsenceMs = 5_000

/** What to do about a participant that does not come back. */
export const absentAdvice =
  'A participant that is done must leave, by sim.clock.leave(name) or POST /_greenroom/clock/leave {"as": name}.'

/** The requests of a simulator. */
export interface RequestCounts {
  /** How many have begun. */
  readonly started: number
  /** How many have no complete response yet. */
  readonly open: number
}

/** Reports participants for whom a clock waits, once they have made no request for a while. */
export class Absence {
  readonly #host: HostTimers
  readonly #requests: RequestCounts
  readonly #waiters: Waiters
  readonly #onAbsent: () => void
  #timer: ReturnType<HostTimers['setTimeout']> | undefined

  /** @param onAbsent called once for each absence. */
  constructor(
    host: HostTimers,
    waiters: Waiters,
    requests: RequestCounts = { started: 0, open: 0 },
    onAbsent: () => void,
  ) {
    this.#host = host
    this.#waiters = waiters
    this.#requests = requests
    this.#onAbsent = onAbsent
  }

  /** Starts over after a change: whatever happens on the clock is a sign of life. */
  check(isAbsent: boolean): void {
    this.end()
    if (isAbsent) this.#watch()
  }

  /** The clock waits for no participant any more. */
  end(): void {
    this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #watch(): void {
    const { started } = this.#requests
    const report = (): void => {
      // A response that waits on the clock is open, but nothing works on it. A render works, in real time.
      const responses = this.#waiters.list().filter(({ waiting }) => waiting.kind === 'answer').length
      if (this.#requests.open > responses || this.#requests.started !== started) this.#watch()
      else this.#onAbsent()
    }
    this.#timer = this.#host.setTimeout(report, maxAbsenceMs)
    // A process with nothing else to do must not stay alive for a report. Browsers have numbers for timers.
    const timer = this.#timer as { unref?: () => void }
    timer.unref?.()
  }
}
