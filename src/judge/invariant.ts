import type { JournalEntry } from '../gateway/journal.ts'
import type { InvariantName } from '../scenario/invariant-names.ts'
import type { AlwaysExpectation } from './expectations/expect.ts'
import type { DuplicateIntent } from './duplicate-intent.ts'
import type { WatchedTask, WatchedTasks } from './watched-tasks.ts'

/** The first time that an invariant was broken. */
export interface Violation {
  /** The requests that show it; the last is the offending one. */
  readonly requests: readonly number[]
  /** What happened, as a sentence. */
  readonly message: string
}

/**
 * What one invariant has to say of a run.
 *
 * @example
 * const run = sim.watch()
 * await client.makeVideo('a red kite')
 * const reports: readonly InvariantReport[] = run.audit().invariants
 * reports.find(({ name }) => name === 'no-early-download') // → { verdict: 'pass', violations: 0, … }
 */
export interface InvariantReport {
  readonly name: InvariantName
  /** What a good client does. */
  readonly means: string
  readonly verdict: 'pass' | 'fail' | 'not-exercised' | 'not-applicable'
  /** How often it was put to the test. */
  readonly exercised: number
  readonly violations: number
  readonly first?: Violation
  /** What may be a mistake, though a correct client can't avoid it. A strict run fails for it. */
  readonly doubtful?: { readonly count: number; readonly first: Violation }
  /** Why it is vacuous or not applicable. */
  readonly reason?: string
}

/** What every invariant may know of the run so far. */
export interface Run {
  readonly tasks: WatchedTasks
  /** What the client wants more than once, so that two requests for it need not be one asked again. */
  readonly wants: DuplicateIntent
  /** The latest request that listed many tasks; 0 when there was none. */
  readonly listedAt: number
  /** The request before this one; 0 for the first. */
  readonly before: number
}

/** Something a good client never breaks, watched as the journal grows. */
export interface Invariant {
  /** A request was admitted; its answer is decided, but not yet gone. */
  admitted?(entry: JournalEntry, task: WatchedTask | undefined): void
  /** An answer has gone. */
  settled?(entry: JournalEntry, task: WatchedTask | undefined): void
  /** What there is to say by now. */
  findings(): Findings
}

/** How an invariant is made: what it means, and a fresh watch for one run. */
export interface InvariantDefinition {
  readonly name: InvariantName
  readonly means: string
  /** When it is put to the test, to complete "never exercised: no …". */
  readonly needs: string
  readonly watch: (run: Run, settings: AlwaysExpectation) => Invariant
}

/** Counts how often an invariant was tested and broken, and keeps the first time. */
export class Findings {
  exercised = 0
  violations = 0
  first: Violation | undefined
  doubtful: InvariantReport['doubtful']
  /** Why some of it could not be judged. */
  unseen: string | undefined

  violated(requests: readonly number[], message: string): void {
    this.violations++
    this.first ??= { requests, message }
  }

  /** @param doubtful what only a strict run fails for. */
  with(violations: readonly Violation[], doubtful: readonly Violation[] = []): Findings {
    const all = Object.assign(new Findings(), this)
    for (const { requests, message } of inOrder(violations)) all.violated(requests, message)
    const [first] = inOrder(doubtful)
    if (first) all.doubtful = { count: doubtful.length, first }
    return all
  }
}

function inOrder(violations: readonly Violation[]): Violation[] {
  return violations.toSorted((one, other) => one.requests.at(-1)! - other.requests.at(-1)!)
}

export function reportOf({ name, means, needs }: InvariantDefinition, findings: Findings): InvariantReport {
  const { exercised, violations, first, unseen, doubtful } = findings
  const report = { name, means, exercised, violations, ...(doubtful && { doubtful }) }
  if (first) return { ...report, verdict: 'fail', first }
  if (exercised > 0) return { ...report, verdict: 'pass' }
  if (unseen !== undefined) return { ...report, verdict: 'not-applicable', reason: unseen }
  return { ...report, verdict: 'not-exercised', reason: `never put to the test: no ${needs}` }
}
