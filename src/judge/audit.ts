import type { InternalErrors } from './verdict.ts'
import type { InvariantReport } from './invariants/invariant.ts'
import type { Statistics } from './usage.ts'
import type { RunTiming } from './waits.ts'
import { Watch, watchJournal } from './watch.ts'
import type { VerdictSource } from '../control/core.ts'
import type { Core } from '../gateway/core.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import type { Journal } from '../gateway/journal.ts'

/**
 * The behaviour of a client, without expectations. Plain JSON.
 *
 * @example
 * const run = sim.watch()
 * await client.makeVideo('a red kite')
 * const audit: Audit = run.audit()
 * audit.passed // → true
 * audit.tasks // → { submitted: 1, followedToEnd: 1, abandoned: 0 }
 */
export interface Audit extends Statistics {
  readonly requests: number
  /** The virtual time from the first request to the last event. */
  readonly elapsedMs: number
  /** Whether the waits of the clients are exact, because only virtual time counts. */
  readonly timing: RunTiming
  /** Whether no invariant was violated, and the simulator had no internal error. */
  readonly passed: boolean
  readonly invariants: readonly InvariantReport[]
  /** Faults that a transport could only approximate, and how often. */
  readonly approximated: Readonly<Record<string, number>>
  /** Requests that got a 500 because of an internal error of the simulator. They fail the audit. */
  readonly internalErrors: InternalErrors
}

/** Summarizes the counts of a watch. */
export function audit(watch: Watch): Audit {
  const invariants = watch.invariants()
  return {
    requests: watch.exchanges,
    elapsedMs: (watch.lastAt ?? 0) - (watch.firstAt ?? 0),
    timing: watch.timing,
    passed: watch.internalErrors.count === 0 && invariants.every(({ verdict }) => verdict !== 'fail'),
    invariants,
    ...toStatistics(watch),
    approximated: Object.fromEntries(watch.approximated),
    internalErrors: { ...watch.internalErrors, first: [...watch.internalErrors.first] },
  }
}

export function toStatistics(watch: Watch): Statistics {
  const tasks = watch.tasks.all().filter(({ submission }) => submission !== undefined)
  const downloads = watch.tasks.downloads()
  const sum = (key: 'times' | 'complete' | 'partial' | 'altered'): number =>
    downloads.reduce((total, download) => total + download[key], 0)
  return {
    operations: watch.usage.operations(),
    tasks: {
      submitted: tasks.length,
      followedToEnd: tasks.filter(({ endKnownBy, hasEnded }) => endKnownBy.size > 0 || hasEnded).length,
      abandoned: tasks.filter(({ uses }) => uses === 0).length,
    },
    downloads: {
      tasks: downloads.length,
      times: sum('times'),
      complete: sum('complete'),
      partial: sum('partial'),
      altered: sum('altered'),
      intact: downloads.filter(({ isIntact }) => isIntact).length,
    },
    refused: [...watch.refused],
    unmatched: [...watch.unmatched.first],
  }
}

/** Judges the clients of a namespace from the first call on. Namespaces without a call cost nothing. */
export class NamespaceAudits implements VerdictSource {
  readonly #namespaces: Core['namespaces']
  readonly #watched = new Map<string, { watch: Watch; journal: Journal; stop: () => void }>()

  readonly #operations: OperationTable

  constructor({ namespaces, events, operations }: Pick<Core, 'namespaces' | 'events' | 'operations'>) {
    this.#namespaces = namespaces
    this.#operations = operations
    // After that, the namespace is judged from the exchanges that its journal still has.
    events.on('tasks.cleared', ({ namespace }) => this.#forget(namespace))
  }

  of(name: string): Audit {
    // A mistyped name must not create a namespace.
    if (!this.#namespaces.has(name)) return audit(new Watch({}, [], this.#operations))
    const { journal } = this.#namespaces.get(name)
    let watched = this.#watched.get(name)
    if (watched?.journal !== journal) {
      this.#forget(name)
      const watch = new Watch({}, [], this.#operations)
      watched = { watch, journal, stop: watchJournal(journal, watch) }
      this.#watched.set(name, watched)
    }
    return audit(watched.watch)
  }

  #forget(name: string): void {
    this.#watched.get(name)?.stop()
    this.#watched.delete(name)
  }
}
