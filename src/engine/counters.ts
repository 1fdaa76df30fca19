/** How many subjects are told apart. */
export const maxSubjects = 100_000

/** How often each subject has come. Forgets those who haven't come for longest when there are too many. */
export class Counters {
  readonly #counts = new Map<string, number>()
  readonly #most: number
  readonly #onChange: ((subject: string) => void) | undefined
  /** Where the oldest stands. Whoever asks a map for its first key anew each time walks over all that have gone. */
  #oldest: Iterator<string> | undefined

  /** @param most how many subjects are remembered. @param onChange told of each whose count changed. */
  constructor(most = maxSubjects, onChange?: (subject: string) => void) {
    this.#most = most
    this.#onChange = onChange
  }

  /** Counts one more and returns how often the subject had come before. */
  next(subject: string): number {
    const before = this.#counts.get(subject) ?? 0
    // Keeping them in order of use costs time, and matters only when some must soon go.
    if (before > 0 && this.#counts.size > this.#most / 2) this.#counts.delete(subject)
    this.#counts.set(subject, before + 1)
    if (before === 0) this.#forgetOldest()
    this.#onChange?.(subject)
    return before
  }

  /** How often the subject has come. */
  count(subject: string): number {
    return this.#counts.get(subject) ?? 0
  }

  /** Goes on from a count of before; none at all forgets the subject. */
  restore(subject: string, count: number | undefined): void {
    this.#counts.delete(subject)
    if (count !== undefined) this.#counts.set(subject, count)
    this.#forgetOldest()
  }

  /** Who is remembered, those who haven't come for longest first. */
  subjects(): IterableIterator<string> {
    return this.#counts.keys()
  }

  clear(): void {
    this.#counts.clear()
  }

  /** What it has gone by is gone, so the next one is always the oldest. */
  #forgetOldest(): void {
    if (this.#counts.size <= this.#most) return
    this.#oldest ??= this.#counts.keys()
    const oldest = this.#oldest.next().value!
    this.#counts.delete(oldest)
    this.#onChange?.(oldest)
  }
}
