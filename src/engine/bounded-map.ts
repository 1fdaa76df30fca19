/**
 * A map of at most `max` entries. Adding one more drops the oldest. To make an entry the newest, delete it before you
 * set it.
 */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #max: number
  readonly #onDropped: ((key: string) => void) | undefined
  /** Reused: a new iterator walks over the entries that V8 has deleted but not yet compacted. */
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
