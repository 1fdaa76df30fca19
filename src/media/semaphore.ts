/** Limits how much work runs at a time. The rest waits in the order in which it came. */
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
      // A slot goes straight to the next in line: otherwise new work could overtake it.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
