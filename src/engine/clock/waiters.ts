import type { Waiting } from './waiting.ts'

/** Something parked until an instant. */
export interface Waiter {
  readonly due: number
  readonly waiting: Waiting
  /** Comes before the order of arrival among what is due at the same instant. */
  readonly rank: string
  /** Called once, with the clock standing at `due` or, in real time, shortly after. */
  readonly wake: () => void
  /** Called instead of `wake` when the clock closes, where that makes a difference. */
  readonly end?: () => void
}

interface Place extends Waiter {
  readonly order: number
  index: number
}

/**
 * Everything that waits on one clock, soonest first; what is due at the same instant goes by rank, and then in the
 * order in which it came. A binary heap whose entries know their place, so that a client that leaves takes its waiter
 * along at once.
 */
export class Waiters {
  readonly #heap: Place[] = []
  #order = 0

  get size(): number {
    return this.#heap.length
  }

  next(): Waiter | undefined {
    return this.#heap[0]
  }

  /** @returns a function that removes the waiter again; calling it late or twice does nothing. */
  add(waiter: Waiter): () => void {
    const place: Place = { ...waiter, order: this.#order++, index: this.#heap.length }
    this.#heap.push(place)
    this.#rise(place)
    return () => this.#remove(place)
  }

  /** Everything that waits, soonest first. */
  list(): Waiter[] {
    return this.#heap.toSorted((one, other) => (before(one, other) ? -1 : 1))
  }

  /** Removes and returns the soonest waiter, if it is due by `instant`. */
  takeDue(instant: number): Waiter | undefined {
    const first = this.#heap[0]
    if (!first || first.due > instant) return undefined
    this.#remove(first)
    return first
  }

  /** Ends every wait, soonest first. */
  endAll(): void {
    for (let waiter = this.takeDue(Infinity); waiter; waiter = this.takeDue(Infinity)) {
      if (waiter.end) waiter.end()
      else waiter.wake()
    }
  }

  #remove(place: Place): void {
    const heap = this.#heap
    if (heap[place.index] !== place) return
    const last = heap.pop()!
    if (last === place) return
    this.#set(last, place.index)
    this.#rise(last)
    this.#sink(last)
  }

  #rise(place: Place): void {
    while (place.index > 0) {
      const parent = this.#heap[(place.index - 1) >> 1]!
      if (!before(place, parent)) return
      this.#swap(place, parent)
    }
  }

  #sink(place: Place): void {
    for (;;) {
      const left = this.#heap[2 * place.index + 1]
      const right = this.#heap[2 * place.index + 2]
      const sooner = right && left && before(right, left) ? right : left
      if (!sooner || !before(sooner, place)) return
      this.#swap(place, sooner)
    }
  }

  #swap(one: Place, other: Place): void {
    const index = one.index
    this.#set(one, other.index)
    this.#set(other, index)
  }

  #set(place: Place, index: number): void {
    this.#heap[index] = place
    place.index = index
  }
}

function before(one: Place, other: Place): boolean {
  if (one.due !== other.due) return one.due < other.due
  return one.rank === other.rank ? one.order < other.order : one.rank < other.rank
}
