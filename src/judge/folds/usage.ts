import type { JournalEntry } from '../../gateway/journal.ts'
import { isRetryableFailure } from '../answers.ts'
import { Memory } from '../memory.ts'
import { isLook } from '../operations.ts'
import { isWaitSeen, maxWaitMs } from '../waits.ts'

/** Values to two digits are kept apart; finer ones aren't, so that any number of them takes little memory. */
const digits = 2

/** The smallest, the middle and the largest of many numbers. The middle one is exact to two digits. */
class Spread {
  #count = 0
  #min = Infinity
  #max = -Infinity
  readonly #buckets = new Map<number, number>()

  add(value: number): void {
    this.#count++
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
    const bucket = Number(value.toPrecision(digits))
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
  }

  get count(): number {
    return this.#count
  }

  /** Null while there are none. */
  summary(): { min: number; median: number; max: number } | null {
    if (this.#count === 0) return null
    let passed = 0
    for (const [bucket, count] of [...this.#buckets].toSorted(([one], [other]) => one - other)) {
      passed += count
      if (passed * 2 < this.#count) continue
      return {
        min: this.#min,
        median: Math.min(this.#max, Math.max(this.#min, bucket)),
        max: this.#max,
      }
    }
    return null
  }
}

/** How a client used one operation. */
export interface OperationUsage {
  readonly operation: string
  requests: number
  /** By the class of their status: `2xx`. */
  readonly statuses: Map<string, number>
  /** Answers that broke on the way, were abandoned by the client, or asked it to wait. */
  broken: number
  aborted: number
  toldToWait: number
  /** How often the same was asked again after trouble. */
  retries: number
  /** Between two looks at the same task, in milliseconds. */
  readonly intervals: Spread
  /** From admission to the end of the answer, on the virtual clock. */
  readonly answerTimes: Spread
}

/** Counts how a client uses the gateway, by operation. */
export class Usage {
  readonly #operations = new Map<string, OperationUsage>()
  readonly #latest = new Memory<JournalEntry>()

  admitted(entry: JournalEntry): void {
    const usage = this.#of(entry.operation ?? 'unmatched')
    usage.requests++
    const kind = `${Math.floor(entry.status / 100)}xx`
    usage.statuses.set(kind, (usage.statuses.get(kind) ?? 0) + 1)
    if (entry.retryAfterMs !== null) usage.toldToWait++
    const before = this.#latest.get(entry.identity)
    this.#latest.set(entry.identity, entry)
    if (!before) return
    if (isRetryableFailure(before)) usage.retries++
    if (isLook(entry.operation) && isWaitSeen(entry)) usage.intervals.add(maxWaitMs(before, entry))
  }

  settled(entry: JournalEntry): void {
    const usage = this.#of(entry.operation ?? 'unmatched')
    if (entry.outcome === 'aborted') usage.aborted++
    else if (isRetryableFailure(entry) && entry.status < 400) usage.broken++
    if (entry.settledAt !== null) usage.answerTimes.add(entry.settledAt - entry.at)
  }

  /** In the order of their first requests. */
  operations(): readonly OperationUsage[] {
    return [...this.#operations.values()]
  }

  #of(operation: string): OperationUsage {
    let usage = this.#operations.get(operation)
    if (!usage) {
      usage = {
        operation,
        requests: 0,
        statuses: new Map(),
        broken: 0,
        aborted: 0,
        toldToWait: 0,
        retries: 0,
        intervals: new Spread(),
        answerTimes: new Spread(),
      }
      this.#operations.set(operation, usage)
    }
    return usage
  }
}
