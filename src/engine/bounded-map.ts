/** A map of at most `max` entries: one more drops the oldest. Delete an entry before setting it to make it the newest. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #max: number
  readonly #onDropped: ((key: string) => void) | undefined
  /** Reused, because a new iterator walks over the entries that V8 has deleted but not yet compacted. */
  #oldestFirst: Iterator<string> | undefined

  constructor(max: number, onDropped?: (key: string) => void) {
    super()
    this.#max = max
    this.#onDropped = onDropped
  }

  override set(key: string, value: Value): this {
    super.set(key, value)
    // All entries that the iterator has passed are deleted, so its next one is the oldest.
    if (this.size > this.#max) {
      const oldest = (this.#oldestFirst ??= this.keys()).next().value!
      this.delete(oldest)
      this.#onDropped?.(oldest)
    }
    return this
  }
}
