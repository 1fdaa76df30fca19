/** Limits how much work runs at a time. The rest waits in order of arrival. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Runs the work once there is a slot for it. */
  async use<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The slot goes directly to the next in line, so that new work can't overtake it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
