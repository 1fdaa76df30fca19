import { BoundedMap } from '../../engine/bounded-map.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import {
  maxTracked,
  Findings,
  type InvariantDefinition,
  type Violation,
} from '../../apis/define/invariant.ts'
import type { InvariantName } from '../../scenario/vocabulary/types.ts'
import { isDelivered } from '../exchanges.ts'
import type { WatchedTask, WatchedTasks } from '../watched-tasks.ts'
import { isWaitKnown, unknownWaits } from '../waits.ts'

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

/** How long a task took; undefined if it never ends by itself. */
export interface Fate {
  readonly tookMs: number | undefined
}

/** The facts about the run so far, for invariants. */
export interface InvariantContext {
  /** The operations of the simulator. */
  readonly operations: OperationTable
  readonly tasks: WatchedTasks
  readonly duplicates: DuplicateIntent
  /** The number of the latest request that listed tasks; 0 without one. */
  lastListing: number
  /** The number of the previous request; 0 for the first. */
  previousRequest: number
  /** Whether a client has slept on the clock. */
  hasSleeper: boolean
  /** The tasks as the simulator reports them at the end; empty before that, and if they are unknown. */
  fates: ReadonlyMap<string, Fate>
  /** How the client ended; undefined while that is not known. */
  readonly end: () => ClientEnd | undefined
}

/** An invariant of the gateway as a whole. */
export type GeneralInvariant = InvariantDefinition<InvariantContext, WatchedTask>

export function createReport(
  { name, means, advice, needs }: GeneralInvariant,
  findings: Findings,
): InvariantReport {
  const { exercised, violations, first, missing, unjudgedReason, unjudgedRules, doubtful } = findings
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
  return { ...report, verdict: 'not-exercised', reason: missing ?? `no ${needs}` }
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

/** A violation that is certain only at the end. */
export interface SuspectedWait {
  readonly entry: JournalEntry
  readonly violation: Violation
}

/**
 * Findings about waits. A client's first sleep shows that it waits on the clock. Findings from before that sleep count only
 * from then on.
 */
export class WaitFindings {
  /** What is missing for a judgement. */
  missing: string | undefined
  readonly #known = new Findings()
  readonly #early = new Findings()

  /** Counts a request whose wait is judged. @param after the previous exchange, if a rule may have caused its response. */
  exercise(entry: JournalEntry, after?: JournalEntry): Findings {
    const findings = isWaitKnown(entry) ? this.#known : this.#early
    findings.exercised++
    for (const rule of after?.rules ?? []) findings.rules.add(rule)
    return findings
  }

  sum({ hasSleeper }: InvariantContext, suspected: readonly SuspectedWait[] = []): Findings {
    const counted = suspected.filter(({ entry }) => hasSleeper || isWaitKnown(entry))
    const violations = counted.map(({ violation }) => violation)
    const [known, early] = [this.#known, this.#early]
    const sum = Object.assign(new Findings(), known)
    sum.missing = this.missing
    if (hasSleeper) {
      sum.exercised += early.exercised
      sum.violations += early.violations
      sum.first = early.first ?? known.first
    } else if (early.exercised > 0) {
      sum.unjudgedReason = unknownWaits
      sum.unjudgedRules = [...early.rules]
    }
    return sum.with(violations)
  }
}
