import { hostTimers, unref } from '../../engine/clock/timers/host-timers.ts'

/** The progress of a search. */
export interface Progress {
  /** The number of schedules that were run, and of all that are known, as the report counts them. */
  readonly runs: number
  readonly planned: number
  /** The number of mistakes that were repeated, and of all to repeat; 0 until the schedules are run. */
  readonly repeated: number
  readonly repetitions: number
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
  readonly #jobs: number
  readonly #startMs = hostTimers.elapsedMs()
  /** When the patience with each idle run ends. */
  readonly #idle = new Map<symbol, number>()
  #timer: ReturnType<typeof hostTimers.setTimeout> | undefined
  #baselineRuns = 0
  #runs = 0
  #planned = 0
  #repeated = 0
  #repetitions = 0
  #mistakes = 0
  #latest = 'baseline run'

  /** @param jobs the number of runs at the same time, after the baseline runs. */
  constructor(report: ((progress: Progress) => void) | undefined, budgetMs: number, jobs = 1) {
    this.#report = report
    this.#jobs = jobs
    this.#budgetMs = budgetMs
    if (report) this.#beat()
  }

  get elapsedMs(): number {
    return hostTimers.elapsedMs() - this.#startMs
  }

  get hasBudget(): boolean {
    return this.#budgetMs < Infinity
  }

  get isOverBudget(): boolean {
    return this.elapsedMs > this.#budgetMs
  }

  /** Counts the runs without a fault, which took their part of the time. */
  countBaseline(runs: number): void {
    this.#baselineRuns = runs
  }

  /** Plans runs, and reports the first ones before any of them. */
  plan(runs: number): void {
    this.#planned += runs
    if (this.#runs === 0 && this.#baselineRuns > 0) this.#tell()
  }

  planRepetitions(runs: number): void {
    this.#repetitions += runs
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

  /** Counts a run that repeated a mistake. */
  countRepetition(latest: string): void {
    this.#repeated++
    this.#latest = latest
    this.#tell()
  }

  stop(): void {
    hostTimers.clearTimeout(this.#timer)
  }

  #beat(): void {
    const beat = (): void => {
      if (this.#runs + this.#repeated > 0) this.#tell()
      this.#beat()
    }
    this.#timer = unref(hostTimers.setTimeout(beat, beatMs))
  }

  #tell(): void {
    const [runs, planned, repeated, repetitions] = [
      this.#runs,
      this.#planned,
      this.#repeated,
      this.#repetitions,
    ]
    const [past, idle] = [runs + repeated, this.#idle.size]
    // The baseline runs came one after another.
    const perRunMs = this.elapsedMs / (this.#baselineRuns + past) / (past === 0 ? this.#jobs : 1)
    const ofRuns = perRunMs * Math.max(0, planned + repetitions - past - idle)
    const ofIdle = Math.max(0, ...this.#idle.values()) - this.elapsedMs
    const leftMs = Math.max(0, ofIdle, Math.min(ofRuns, this.#budgetMs - this.elapsedMs))
    this.#report?.({
      runs,
      planned,
      repeated,
      repetitions,
      mistakes: this.#mistakes,
      leftMs,
      idle,
      latest: this.#latest,
    })
  }
}
