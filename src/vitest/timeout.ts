import type { ClockMode, ClockStatus } from '../engine/clock/clock-settings.ts'
import { hostTimers, isFake } from '../engine/clock/timers/host-timers.ts'
import type { Journal } from '../gateway/journal.ts'

/** Shorter pauses are the client's own work. */
const minPauseMs = 100

/** A period of real time without requests and without a response in progress. */
interface Pause {
  /** The number of the previous exchange. */
  readonly after: number
  /** The number of the exchange that ended it; undefined until then. */
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
   * Explains that the client slept, if it did so for at least half of the time until now.
   * @param mode the mode of the clock. In `real` and `scaled`, a client is expected to sleep.
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

  /** Whether no response has ended for at least half of the time until now, so that the client is not merely slow. */
  get isLong(): boolean {
    const elapsedMs = this.#elapsedMs()
    const settledMs = this.#last?.settledMs ?? this.#beganMs
    return elapsedMs - settledMs >= (elapsedMs - this.#beganMs) / 2
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

/** Thrown if a test timed out because time did not move, or because its client slept in real time. */
export class TimeStoodStill extends Error {
  override name = 'TimeStoodStill'

  constructor(message: string) {
    super(message)
    this.stack = `${this.name}: ${message}`
  }
}

/** Explains why a test may have timed out; undefined if its clocks were not the reason. */
export function explainTimeout(
  { mode, why, stuck, waiting }: ClockStatus,
  sleep: Pick<RealSleep, 'explain' | 'isLong'>,
): string | undefined {
  if (isFake(globalThis.process?.nextTick)) {
    return "process.nextTick is faked, which stops Node's own fetch and streams. Remove it and queueMicrotask from toFake."
  }
  const faked = countFakeTimers()
  if (stuck) return `time stands still: ${why}`
  if (faked === 0) {
    return mode === 'manual' && waiting.length > 0 ? `time stands still: ${why}` : sleep.explain(mode)
  }
  const timers = `${faked} fake ${faked === 1 ? 'timer waits' : 'timers wait'} to be advanced`
  if (mode !== 'host') {
    return (
      `${timers}, and the gateway's clock, in mode ${mode}, ignores them. Give the client gateway.clock.sleep, or use ` +
      "clock: { mode: 'host' } and advance the timers, as vi.setTimerTickMode('nextTimerAsync') does by itself."
    )
  }
  // A hook that polls by setInterval always has a timer: a test that advances it, on a slow machine, ran out of time.
  if (waiting.length === 0 && !sleep.isLong) return undefined
  return (
    `${timers}, and in mode host the gateway's clock waits with them` +
    `${waiting.length > 0 ? ` (${waiting.join('; ')})` : ''}. Advance them, as by vi.advanceTimersByTimeAsync(5000), or ` +
    "let vi.setTimerTickMode('nextTimerAsync') do it."
  )
}

function countFakeTimers(): number {
  if (!isFake(globalThis.setTimeout)) return 0
  const { clock } = globalThis.setTimeout as { clock?: { countTimers?: () => number } }
  return clock?.countTimers?.() ?? 0
}
