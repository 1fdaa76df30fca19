import type { Door } from './incoming.ts'

/**
 * How an exchange ended: the answer was handed over whole, the client left before that, or its bytes could
 * not be made. `open` while the answer is under way.
 */
export type Outcome = 'open' | 'completed' | 'aborted' | 'failed'

/** One request with what became of it. */
export interface JournalEntry {
  /** The place of the exchange in its namespace's order, from 1. */
  readonly number: number
  /** Virtual time of admission. */
  readonly at: number
  /** Wall time of admission: the one field that differs from run to run. */
  readonly wallAt: number
  readonly door: Door
  readonly operation: string | null
  readonly method: string
  readonly path: string
  readonly namespace: string
  readonly key: string
  readonly requestId: string
  task: string | null
  status: number
  /** Which rules fired. */
  rules: readonly string[]
  delayMs: number
  /** The state that a poll was shown. */
  shown: string | null
  readonly model: string | null
  /** The beginning of the prompt. */
  readonly prompt: string | null
  outcome: Outcome
  /** Bytes of body handed over. */
  bytes: number
}

/** Which entries are wanted. */
export interface JournalFilter {
  operation?: string
  task?: string
  status?: number
  outcome?: string
  /** Only the latest so many. */
  last?: number
}

/** The exchanges of one namespace, the latest of them: a ring that forgets the oldest. */
export class Journal {
  readonly #most: number
  #ring: JournalEntry[] = []
  /** Where the oldest entry stands, once the ring is full. */
  #oldest = 0
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  /** The number the next entry must carry. */
  get nextNumber(): number {
    return this.#count + 1
  }

  append(entry: JournalEntry): void {
    this.#count++
    if (this.#ring.length < this.#most) {
      this.#ring.push(entry)
      return
    }
    this.#ring[this.#oldest] = entry
    this.#oldest = (this.#oldest + 1) % this.#most
  }

  /** The entries that are still known, oldest first. */
  entries(filter: JournalFilter = {}): JournalEntry[] {
    const inOrder = [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)]
    const wanted = inOrder.filter(
      (entry) =>
        (filter.operation === undefined || entry.operation === filter.operation) &&
        (filter.task === undefined || entry.task === filter.task) &&
        (filter.status === undefined || entry.status === filter.status) &&
        (filter.outcome === undefined || entry.outcome === filter.outcome),
    )
    return filter.last === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - filter.last))
  }

  /** Forgets the entries; numbers go on. */
  clear(): void {
    this.#ring = []
    this.#oldest = 0
  }
}
