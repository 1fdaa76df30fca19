import { BoundedMap } from '../../engine/bounded-map.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { AlwaysExpectation, InvariantName } from '../../scenario/vocabulary/types.ts'
import { isDelivered, maxTracked } from '../exchanges.ts'
import type { WatchedTask, WatchedTasks } from '../watched-tasks.ts'

/** A request that broke an invariant. */
export interface Violation {
  /** The requests that prove it. The last one is the offending request. */
  readonly requests: readonly number[]
  /** What happened, as a sentence. */
  readonly message: string
}

/**
 * Result of one invariant.
 *
 * @example
 * const run = sim.watch()
 * await client.makeVideo('a red kite')
 * const reports: readonly InvariantReport[] = run.audit().invariants
 * reports.find(({ name }) => name === 'no-early-download') // → { verdict: 'pass', violations: 0, … }
 */
export interface InvariantReport {
  readonly name: InvariantName
  /** The rule, as a sentence. */
  readonly means: string
  readonly verdict: 'pass' | 'fail' | 'not-exercised' | 'not-applicable'
  /** How many requests tested it. */
  readonly exercised: number
  readonly violations: number
  readonly first?: Violation
  /** If it failed: what the client should do. */
  readonly advice?: string
  /** Possible mistakes that a correct client can't avoid. Only a strict run fails because of them. */
  readonly doubtful?: { readonly count: number; readonly first: Violation }
  /** Why it was not exercised or is not applicable. */
  readonly reason?: string
  /** The rules after whose responses the client could not be judged. */
  readonly unjudgedRules?: readonly string[]
}

/** How a client ended: with a result, or with an error that it reported. */
export type ClientEnd = 'succeeded' | 'failed'

/** The facts about the run so far, for invariants. */
export interface InvariantContext {
  readonly tasks: WatchedTasks
  readonly duplicates: DuplicateIntent
  /** The number of the latest request that listed tasks; 0 without one. */
  readonly lastListing: number
  /** The number of the previous request; 0 for the first. */
  readonly previousRequest: number
  /** Whether a client has slept on the clock. */
  readonly hasSleeper: boolean
  /** How the client ended; undefined while that is not known. */
  readonly end: () => ClientEnd | undefined
}

/** Checks one rule while the journal grows. */
export interface Invariant {
  admitted?(entry: JournalEntry, task: WatchedTask | undefined): void
  settled?(entry: JournalEntry, task: WatchedTask | undefined): void
  /** Called when the client was started again. A new process knows nothing of the earlier one, and need not wait for it. */
  restarted?(): void
  findings(): Findings
}

export interface InvariantDefinition {
  readonly name: InvariantName
  /** The rule, as a sentence. */
  readonly means: string
  /** What a client that violates it should do. */
  readonly advice: string
  /** What would exercise it, to complete "not exercised: no …". */
  readonly needs: string
  readonly watch: (context: InvariantContext, settings: AlwaysExpectation) => Invariant
}

/** Counts how often an invariant was exercised and violated, and stores the first violation. */
export class Findings {
  exercised = 0
  violations = 0
  first: Violation | undefined
  doubtful: InvariantReport['doubtful']
  /** Why some of it could not be judged. */
  unjudgedReason: string | undefined
  /** The rules whose responses preceded requests. */
  readonly rules = new Set<string>()
  unjudgedRules: readonly string[] = []

  addViolation(requests: readonly number[], message: string): void {
    this.violations++
    this.first ??= { requests, message }
  }

  /** @param doubtful violations that fail only a strict run. */
  with(violations: readonly Violation[], doubtful: readonly Violation[] = []): Findings {
    const sum = Object.assign(new Findings(), this)
    for (const { requests, message } of sortByRequest(violations)) sum.addViolation(requests, message)
    const [first] = sortByRequest(doubtful)
    if (first) sum.doubtful = { count: doubtful.length, first }
    return sum
  }
}

function sortByRequest(violations: readonly Violation[]): Violation[] {
  return violations.toSorted((one, other) => one.requests.at(-1)! - other.requests.at(-1)!)
}

export function createReport(
  { name, means, advice, needs }: InvariantDefinition,
  findings: Findings,
): InvariantReport {
  const { exercised, violations, first, unjudgedReason, unjudgedRules, doubtful } = findings
  const report = {
    name,
    means,
    exercised,
    violations,
    ...(doubtful && { doubtful }),
    ...(unjudgedRules.length > 0 && { unjudgedRules }),
  }
  if (first) return { ...report, verdict: 'fail', first, advice }
  if (exercised > 0) return { ...report, verdict: 'pass' }
  if (unjudgedReason !== undefined) return { ...report, verdict: 'not-applicable', reason: unjudgedReason }
  return { ...report, verdict: 'not-exercised', reason: `no ${needs}` }
}

/**
 * Tracks intentional duplicates: concurrent identical submissions, or a repeat after a successful response, are not
 * retries.
 */
export class DuplicateIntent {
  readonly #submissions = new BoundedMap<{ open: number; delivered: number; isIntended: boolean }>(maxTracked)

  admitted({ method, identity }: JournalEntry): void {
    if (method !== 'POST') return
    const known = this.#submissions.get(identity) ?? { open: 0, delivered: 0, isIntended: false }
    this.#submissions.set(identity, known)
    known.open++
    if (known.open > 1 || known.delivered > 0) known.isIntended = true
  }

  settled(entry: JournalEntry): void {
    const known = entry.method === 'POST' ? this.#submissions.get(entry.identity) : undefined
    if (!known) return
    known.open--
    if (entry.status >= 200 && entry.status < 300 && isDelivered(entry)) known.delivered++
  }

  isIntended({ method, identity }: JournalEntry): boolean {
    return method === 'POST' && this.#submissions.get(identity)?.isIntended === true
  }
}
