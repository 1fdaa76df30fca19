import { BoundedMap } from '../engine/bounded-map.ts'

/** Above this number, the oldest entries are dropped: some retries never come. */
const maxRemembered = 1_000

/**
 * When refused requests may be retried: a clock in mode `auto` assumes that clients wait until then.
 */
export class RetrySchedule {
  readonly #due = new BoundedMap<number>(maxRemembered)

  /** Records when a request may be retried. */
  note(request: string, due: number): void {
    this.#due.set(request, due)
  }

  /** When this request may be retried; undefined if it was not refused, or was already retried. */
  take(request: string): number | undefined {
    if (this.#due.size === 0) return undefined
    const due = this.#due.get(request)
    this.#due.delete(request)
    return due
  }

  clear(): void {
    this.#due.clear()
  }
}
