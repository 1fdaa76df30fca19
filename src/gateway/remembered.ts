/** What is known of texts, of the latest of them: of more than so many it begins anew. */
export class Memory<T> {
  readonly #most: number
  readonly #known = new Map<string, T>()

  constructor(most: number) {
    this.#most = most
  }

  get(text: string): T | undefined {
    return this.#known.get(text)
  }

  keep(text: string, value: T): void {
    if (this.#known.size >= this.#most) this.#known.clear()
    this.#known.set(text, value)
  }
}

/**
 * What was worked out for a text, for those that come again and again: clients ask the same of the same. Whoever keeps
 * what they are given, as a journal does, then keeps one of it, not one for each request.
 */
export class Remembered<T> {
  readonly #make: (text: string) => T
  readonly #known: Memory<T>

  /**
   * @param make works it out: of the text alone, the same each time.
   * @param most how many are known at once; then it begins anew.
   */
  constructor(make: (text: string) => T, most = 1_000) {
    this.#make = make
    this.#known = new Memory(most)
  }

  of(text: string): T {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const made = this.#make(text)
    this.#known.keep(text, made)
    return made
  }
}
