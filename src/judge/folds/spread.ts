/** Values to two digits are kept apart; finer ones aren't, so that any number of them takes little memory. */
const digits = 2

/** The smallest, the middle and the largest of many numbers. The middle one is exact to two digits. */
export class Spread {
  #count = 0
  #min = Infinity
  #max = -Infinity
  readonly #buckets = new Map<number, number>()

  add(value: number): void {
    this.#count++
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
    const bucket = Number(value.toPrecision(digits))
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
  }

  get count(): number {
    return this.#count
  }

  /** Null while there are none. */
  summary(): { min: number; median: number; max: number } | null {
    if (this.#count === 0) return null
    let passed = 0
    for (const [bucket, count] of [...this.#buckets].toSorted(([one], [other]) => one - other)) {
      passed += count
      if (passed * 2 < this.#count) continue
      return {
        min: this.#min,
        median: Math.min(this.#max, Math.max(this.#min, bucket)),
        max: this.#max,
      }
    }
    return null
  }
}
