import { twoTurns } from './timers/steps.ts'

/** Counts work in progress, so that a caller can wait until there is none. */
export class Activity {
  #count = 0
  #started = 0
  #waiting: (() => void)[] = []

  /** How many pieces of work have begun. */
  get started(): number {
    return this.#started
  }

  /** How many pieces of work are in progress. */
  get open(): number {
    return this.#count
  }

  begin(): void {
    this.#count++
    this.#started++
  }

  /** Call it once for each `begin`. */
  end(): void {
    this.#count--
    if (this.#count > 0 || this.#waiting.length === 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Counts a promise until it settles. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.begin()
    try {
      return await work
    } finally {
      this.end()
    }
  }

  /**
   * Resolves when no work is in progress.
   * @param others waits for work that is counted elsewhere.
   */
  async idle(others: () => Promise<void> | undefined): Promise<void> {
    for (;;) {
      // A request that a client has just sent begins in one of the next turns.
      await twoTurns()
      const started = this.#started
      if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
      await others()
      await twoTurns()
      if (this.#count === 0 && this.#started === started) return
    }
  }
}
