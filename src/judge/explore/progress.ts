import { hostTimers, unref } from '../../engine/clock/timers/host-timers.ts'

/** The progress of a search. */
export interface Progress {
  readonly runs: number
  /** The number of past and future runs, as far as they are known. */
  readonly planned: number
  readonly mistakes: number
  /** An estimate of the remaining real time. */
  readonly leftMs: number
  /** The number of runs whose client only its own deadline can wake. */
  readonly idle: number
  /** The schedule that was judged last. */
  readonly latest: string
}

/** How often progress is reported while no run ends. */
const beatMs = 1_000

/** Counts the runs of a search, and estimates the remaining time. */
export class ProgressMeter {
  readonly #report: ((progress: Progress) => void) | undefined
  readonly #budgetMs: number
  readonly #startMs = hostTimers.elapsedMs()
  /** When the patience with each idle run ends. */
  readonly #idle = new Map<symbol, number>()
  #timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  #runs = 0
  #planned = 0
  #mistakes = 0
  #latest = ''

  constructor(report: ((progress: Progress) => void) | undefined, budgetMs: number) {
    this.#report = report
    this.#budgetMs = budgetMs
    if (report) this.#beat()
  }

  get elapsedMs(): number {
    return hostTimers.elapsedMs() - this.#startMs
  }

  get isOverBudget(): boolean {
    return this.elapsedMs > this.#budgetMs
  }

  plan(runs: number): void {
    this.#planned += runs
  }

  /**
   * Watches a run, and reports when it is idle.
   * @param run gets the function to call when it is idle.
   */
  async watch<T>(
    onIdle: () => void,
    run: (whenIdle: (patienceMs: number) => void) => Promise<T>,
  ): Promise<T> {
    const key = Symbol('run')
    const whenIdle = (patienceMs: number): void => {
      this.#idle.set(key, this.elapsedMs + patienceMs)
      onIdle()
    }
    return run(whenIdle).finally(() => this.#idle.delete(key))
  }

  /** Counts a judged run. */
  count(latest: string, mistakes: number): void {
    this.#runs++
    this.#mistakes += mistakes
    this.#latest = latest
    this.#tell()
  }

  stop(): void {
    hostTimers.clearTimeout(this.#timer)
  }

  #beat(): void {
    const beat = (): void => {
      if (this.#runs > 0) this.#tell()
      this.#beat()
    }
    this.#timer = unref(hostTimers.setTimeout(beat, beatMs))
  }

  #tell(): void {
    const [runs, planned, idle] = [this.#runs, this.#planned, this.#idle.size]
    const ofRuns = (this.elapsedMs / runs) * Math.max(0, planned - runs - idle)
    const ofIdle = Math.max(0, ...this.#idle.values()) - this.elapsedMs
    const leftMs = Math.max(0, ofIdle, Math.min(ofRuns, this.#budgetMs - this.elapsedMs))
    this.#report?.({ runs, planned, mistakes: this.#mistakes, leftMs, idle, latest: this.#latest })
  }
}
