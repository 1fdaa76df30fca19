import type { JournalEntry, Outcome } from './journal.ts'

/** How many exchanges of an operation ended with a status and an outcome. */
interface ResponseCount {
  /** Null if no operation served the request. */
  readonly operation: string | null
  /** 0 if no response was sent. */
  readonly status: number
  readonly outcome: Outcome
  readonly count: number
}

const outcomes: readonly Outcome[] = ['open', 'completed', 'aborted', 'failed']

/**
 * Counts exchanges of all namespaces from the start, whether or not the counts are read. Runs for every request, so it
 * encodes status and outcome as one number.
 */
export class Traffic {
  readonly #responses = new Map<string | null, Map<number, number>>()
  readonly #faults = new Map<string, number>()

  /** Counts an exchange that has ended. */
  count({ operation, status, outcome, fault }: JournalEntry): void {
    let counts = this.#responses.get(operation)
    if (!counts) this.#responses.set(operation, (counts = new Map<number, number>()))
    const code = status * outcomes.length + outcomes.indexOf(outcome)
    counts.set(code, (counts.get(code) ?? 0) + 1)
    if (fault !== null) this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
  }

  *responses(): Generator<ResponseCount> {
    for (const [operation, counts] of this.#responses) {
      for (const [code, count] of counts) {
        const outcome = outcomes[code % outcomes.length]!
        yield { operation, status: Math.floor(code / outcomes.length), outcome, count }
      }
    }
  }

  /** How often each kind of fault broke a response. */
  get faults(): ReadonlyMap<string, number> {
    return this.#faults
  }
}
