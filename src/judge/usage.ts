import { maxTracked } from '../apis/define/invariant.ts'
import { BoundedMap } from '../engine/bounded-map.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import { isBroken, isPoll, isRetryableFailure } from './exchanges.ts'
import { isWaitKnown, observedWaitMs } from './waits.ts'

/** How often a client used an operation, and the results. */
export interface OperationUsage {
  readonly operation: string
  readonly requests: number
  /** The number of responses by class of status: `2xx`, `4xx`. */
  readonly statuses: Readonly<Record<string, number>>
  /** The number of requests that were repeated after a failure. */
  readonly retries: number
  /** The number of responses with `Retry-After`. */
  readonly retryAfters: number
  /** The number of broken responses, whatever their status, and of those that the client aborted. */
  readonly broken: number
  readonly aborted: number
  /** The intervals between two polls of a task; null if there are none. */
  readonly intervalsMs: { readonly min: number; readonly median: number; readonly max: number } | null
}

/** How a client used the gateway, in numbers. */
export interface Statistics {
  readonly operations: readonly OperationUsage[]
  readonly tasks: {
    readonly submitted: number
    /** The tasks whose end a poll has reported. */
    readonly followedToEnd: number
    /** The tasks without a request after their submission. */
    readonly abandoned: number
  }
  /** The number of tasks with downloads, of downloads, and of their results. */
  readonly downloads: {
    readonly tasks: number
    readonly times: number
    readonly complete: number
    readonly partial: number
    readonly altered: number
    /** The number of tasks whose bytes the client has completely and unaltered. */
    readonly intact: number
  }
  /** The first few requests that the gateway refused by itself, with the reason, and what to do. */
  readonly refused: readonly {
    readonly number: number
    readonly method: string
    readonly path: string
    readonly status: number
    readonly reason: string
  }[]
  /** The first few requests that no operation matches. */
  readonly unmatched: readonly { readonly number: number; readonly method: string; readonly path: string }[]
}

/** A histogram with two significant digits, in bounded memory. */
class Histogram {
  #count = 0
  #min = Infinity
  #max = -Infinity
  readonly #buckets = new Map<number, number>()

  add(value: number): void {
    this.#count++
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
    const bucket = Number(value.toPrecision(2))
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
  }

  summary(): OperationUsage['intervalsMs'] {
    let passed = 0
    for (const [bucket, count] of [...this.#buckets].toSorted(([one], [other]) => one - other)) {
      passed += count
      if (passed * 2 < this.#count) continue
      const median = Math.min(this.#max, Math.max(this.#min, bucket))
      return { min: this.#min, median, max: this.#max }
    }
    return null
  }
}

type Counts = {
  -readonly [Key in keyof Omit<OperationUsage, 'statuses' | 'intervalsMs'>]: OperationUsage[Key]
}

/** Counts how a client uses the gateway, by operation. */
export class Usage {
  readonly #operations = new Map<
    string,
    { counts: Counts; statuses: Record<string, number>; intervals: Histogram }
  >()
  readonly #latest = new BoundedMap<JournalEntry>(maxTracked)

  admitted(entry: JournalEntry): void {
    const { counts, statuses, intervals } = this.#usageOf(entry)
    counts.requests++
    const statusClass = `${Math.floor(entry.status / 100)}xx`
    statuses[statusClass] = (statuses[statusClass] ?? 0) + 1
    if (entry.retryAfterMs !== null) counts.retryAfters++
    const before = this.#latest.get(entry.identity)
    this.#latest.set(entry.identity, entry)
    if (!before) return
    if (isRetryableFailure(before)) counts.retries++
    if (isPoll(entry) && isWaitKnown(entry)) intervals.add(observedWaitMs(before, entry))
  }

  settled(entry: JournalEntry): void {
    const { counts } = this.#usageOf(entry)
    if (entry.outcome === 'aborted') counts.aborted++
    else if (isBroken(entry) && entry.status < 400) counts.broken++
  }

  /** The operations, in the order of their first requests. */
  operations(): OperationUsage[] {
    return [...this.#operations.values()].map(
      ({ counts: { operation, requests, retries, retryAfters, broken, aborted }, statuses, intervals }) => ({
        operation,
        requests,
        statuses: Object.fromEntries(Object.entries(statuses).toSorted()),
        retries,
        retryAfters,
        broken,
        aborted,
        intervalsMs: intervals.summary(),
      }),
    )
  }

  /** The number of requests of an operation. */
  requestsOf(operation: string): number {
    return this.#operations.get(operation)?.counts.requests ?? 0
  }

  #usageOf({ operation }: JournalEntry): {
    counts: Counts
    statuses: Record<string, number>
    intervals: Histogram
  } {
    const name = operation ?? 'unmatched'
    const known = this.#operations.get(name)
    if (known) return known
    const counts = { operation: name, requests: 0, retries: 0, retryAfters: 0, broken: 0, aborted: 0 }
    const usage = { counts, statuses: {}, intervals: new Histogram() }
    this.#operations.set(name, usage)
    return usage
  }
}
