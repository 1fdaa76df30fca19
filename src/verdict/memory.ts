/** What is remembered of each subject. Forgets the one that came first when there are too many. */
export class Memory<Value> {
  readonly #known = new Map<string, Value>()
  readonly #most: number

  constructor(most = 10_000) {
    this.#most = most
  }

  get(subject: string): Value | undefined {
    return this.#known.get(subject)
  }

  set(subject: string, value: Value): void {
    this.#known.set(subject, value)
    if (this.#known.size > this.#most) this.#known.delete(this.#known.keys().next().value!)
  }

  delete(subject: string): void {
    this.#known.delete(subject)
  }

  values(): IterableIterator<Value> {
    return this.#known.values()
  }

  get size(): number {
    return this.#known.size
  }
}
