/** How many subjects are told apart. */
export const mostSubjects = 100_000

/** How often each subject has come. Forgets those who haven't come for longest when there are too many. */
export class Counters {
  readonly #counts = new Map<string, number>()
  readonly #most: number

  /** @param most how many subjects are remembered. */
  constructor(most = mostSubjects) {
    this.#most = most
  }

  /** Counts one more and returns how often the subject had come before. */
  next(subject: string): number {
    const before = this.#counts.get(subject) ?? 0
    // Keeping them in order of use costs time, and matters only when some must soon go.
    if (before > 0 && this.#counts.size > this.#most / 2) this.#counts.delete(subject)
    this.#counts.set(subject, before + 1)
    if (before === 0 && this.#counts.size > this.#most) this.#counts.delete(this.#counts.keys().next().value!)
    return before
  }

  /** How often the subject has come. */
  count(subject: string): number {
    return this.#counts.get(subject) ?? 0
  }

  clear(): void {
    this.#counts.clear()
  }
}
