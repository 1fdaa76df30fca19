/**
 * The ids of tasks in the order in which they came. Tasks mostly go in that order too, so a list costs less than a map.
 */
export class TaskIndex implements Iterable<string> {
  #ids: string[] = []
  /** Those before it have gone. */
  #first = 0
  readonly #gone = new Set<string>()

  get size(): number {
    return this.#ids.length - this.#first - this.#gone.size
  }

  /** Adds an id that isn't there. */
  add(id: string): void {
    // One that comes again, as no id does by itself, must not be taken for the one that went.
    if (this.#gone.has(id)) this.#tidy()
    this.#ids.push(id)
  }

  /** Takes away an id that is there. */
  remove(id: string): void {
    this.#gone.add(id)
    while (this.#first < this.#ids.length && this.#gone.delete(this.#ids[this.#first]!)) this.#first++
    const over = this.#first + this.#gone.size
    if (over > 100 && over > this.#ids.length / 2) this.#tidy()
  }

  /** Those that are there, oldest first. What is removed meanwhile isn't shown any more. */
  *[Symbol.iterator](): Iterator<string> {
    const ids = this.#ids
    for (let at = this.#first; at < ids.length; at++) {
      if (!this.#gone.has(ids[at]!)) yield ids[at]!
    }
  }

  /** Those that are there, oldest first. For very many ids this takes a fraction of the time of the iterator. */
  list(): string[] {
    const ids = this.#ids.slice(this.#first)
    return this.#gone.size === 0 ? ids : ids.filter((id) => !this.#gone.has(id))
  }

  /** So many of those that are there, the latest, oldest first. */
  latest(most: number): string[] {
    const found: string[] = []
    for (let at = this.#ids.length - 1; at >= this.#first && found.length < most; at--) {
      if (!this.#gone.has(this.#ids[at]!)) found.push(this.#ids[at]!)
    }
    return found.reverse()
  }

  #tidy(): void {
    this.#ids = this.#ids.slice(this.#first).filter((id) => !this.#gone.has(id))
    this.#first = 0
    this.#gone.clear()
  }
}
