/** Values of the latest names: when there are too many, the one that came first goes. */
export class Latest<Value> extends Map<string, Value> {
  readonly #most: number
  readonly #onRemoved: ((name: string) => void) | undefined
  /** Where the oldest stands. Whoever asks a map for its first key anew each time walks over all that have gone. */
  #oldest: Iterator<string> | undefined

  /** @param onRemoved is called with each name that is removed for a later one. */
  constructor(most: number, onRemoved?: (name: string) => void) {
    super()
    this.#most = most
    this.#onRemoved = onRemoved
  }

  override set(name: string, value: Value): this {
    super.set(name, value)
    // What it has gone by is gone, so the next one is always the oldest.
    if (this.size <= this.#most) return this
    const oldest = (this.#oldest ??= this.keys()).next().value!
    this.delete(oldest)
    this.#onRemoved?.(oldest)
    return this
  }
}
