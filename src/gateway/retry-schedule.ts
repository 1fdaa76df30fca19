import { BoundedMap } from '../engine/bounded-map.ts'

/** Who was told to come again later and never did is forgotten in favour of others. */
const maxRemembered = 1_000

/**
 * When clients that were refused may ask again, by request: for a clock that takes them to have waited so long.
 */
export class RetrySchedule {
  readonly #due = new BoundedMap<number>(maxRemembered)

  /** Notes when a request may be made again. */
  note(request: string, due: number): void {
    this.#due.set(request, due)
  }

  /** When this request was to be made again; undefined when it wasn't, or has been. */
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
