import type { ClockMode } from '../engine/clock/clock-settings.ts'
import { hostTimers } from '../engine/clock/timers/host-timers.ts'
import type { Journal } from '../gateway/journal.ts'

/** Shorter pauses are the client's own work. */
const minPauseMs = 100

/** The client made no request for a while of real time, and no response was in progress. */
interface Pause {
  /** The exchange before it. */
  readonly after: number
  /** The exchange that ended it; undefined while it lasts. */
  readonly before?: number
  readonly durationMs: number
}

/** Measures how long the client of a test pauses between its exchanges, in real time. */
export class RealSleep {
  readonly #elapsedMs: () => number
  readonly #beganMs: number
  readonly #stop: () => void
  readonly #open = new Set<number>()
  readonly #pauses: Pause[] = []
  #last: { readonly number: number; readonly settledMs: number } | undefined

  constructor(journal: Pick<Journal, 'subscribe'>, elapsedMs: () => number = hostTimers.elapsedMs) {
    this.#elapsedMs = elapsedMs
    this.#beganMs = elapsedMs()
    this.#stop = journal.subscribe(({ number }, what) => {
      if (what === 'settled') {
        this.#open.delete(number)
        this.#last = { number, settledMs: elapsedMs() }
        return
      }
      const pause = this.#currentPause()
      if (pause) this.#pauses.push({ ...pause, before: number })
      this.#open.add(number)
    })
  }

  stop(): void {
    this.#stop()
  }

  /**
   * Says that the client slept, if it did so for at least half of the time until now.
   * @param mode of the clock: in `real` and `scaled` a client is meant to sleep.
   */
  explain(mode: ClockMode): string | undefined {
    if (mode === 'real' || mode === 'scaled') return undefined
    const current = this.#currentPause()
    const pauses = current ? [...this.#pauses, current] : this.#pauses
    const [longest] = pauses.toSorted((one, other) => other.durationMs - one.durationMs)
    const totalMs = pauses.reduce((sum, { durationMs }) => sum + durationMs, 0)
    if (!longest || totalMs < (this.#elapsedMs() - this.#beganMs) / 2) return undefined
    const { after, before, durationMs } = longest
    const where = before === undefined ? `after #${after}` : `between #${after} and #${before}`
    const sum = pauses.length === 1 ? '' : `, and ${seconds(totalMs)} in all`
    return `your client slept ${seconds(durationMs)} of real time ${where}${sum}: ${advice(mode)}`
  }

  #currentPause(): Pause | undefined {
    if (!this.#last || this.#open.size > 0) return undefined
    const durationMs = this.#elapsedMs() - this.#last.settledMs
    return durationMs < minPauseMs ? undefined : { after: this.#last.number, durationMs }
  }
}

function advice(mode: ClockMode): string {
  const fakes = "vi.useFakeTimers() and vi.setTimerTickMode('nextTimerAsync')"
  if (mode === 'host') return `in mode host, fake its timers by ${fakes}.`
  return `give it gateway.clock.sleep, or use mode host: clock: { mode: 'host' } with ${fakes}.`
}

function seconds(durationMs: number): string {
  return `${Number((durationMs / 1_000).toFixed(1))} s`
}
