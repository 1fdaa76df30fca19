/**
 * A map of at most `max` entries. Adding one more drops the oldest. To make an entry the newest, delete it before you
 * set it.
 */
export class BoundedMap<Value, Key = string> extends Map<Key, Value> {
  readonly #max: number
  readonly #onDropped: ((key: Key) => void) | undefined
  /** Reused: a new iterator walks over the entries that V8 has deleted but not yet compacted. */
  #oldestFirst: Iterator<Key> | undefined

  constructor(max: number, onDropped?: (key: Key) => void) {
    super()
    this.#max = max
    this.#onDropped = onDropped
  }

  override set(key: Key, value: Value): this {
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

/** The maximum number of subjects that are counted. */
export const maxSubjects = 100_000

/** Counts by subject. Above the maximum of subjects, the least recently counted one starts over at 0. */
export class Counters {
  readonly #counts: BoundedMap<number>
  readonly #onChange: ((subject: string) => void) | undefined

  /** @param max the number of subjects. @param onChange called with each subject whose count changes. */
  constructor(max = maxSubjects, onChange?: (subject: string) => void) {
    this.#counts = new BoundedMap(max, onChange)
    this.#onChange = onChange
  }

  /** Counts one more. @returns the count before. */
  next(subject: string): number {
    const before = this.#counts.get(subject)
    if (before !== undefined) this.#counts.delete(subject)
    this.#counts.set(subject, (before ?? 0) + 1)
    this.#onChange?.(subject)
    return before ?? 0
  }

  count(subject: string): number {
    return this.#counts.get(subject) ?? 0
  }

  /** Continues from a stored count; undefined forgets the subject. */
  restore(subject: string, count: number | undefined): void {
    this.#counts.delete(subject)
    if (count !== undefined) this.#counts.set(subject, count)
  }

  /** The counted subjects, the least recently counted first. */
  subjects(): IterableIterator<string> {
    return this.#counts.keys()
  }

  clear(): void {
    this.#counts.clear()
  }
}
