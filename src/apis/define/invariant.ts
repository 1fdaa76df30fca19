import type { JournalEntry } from '../../gateway/journal.ts'
import type { Allowances, AlwaysExpectation, InvariantName } from '../../scenario/vocabulary/types.ts'

/** The maximum number of tasks, or of other subjects, that an invariant follows. The oldest are dropped. */
export const maxTracked = 10_000

/** A request that broke an invariant. */
export interface Violation {
  /** The requests that prove it. The last one is the offending request. */
  readonly requests: readonly number[]
  /** What happened, as a sentence. */
  readonly message: string
}

/** The facts about a task that the invariants of an API may use. */
export interface FollowedTask {
  /** By operation: the request from which the client knows the end of the task. */
  readonly endKnownBy: ReadonlyMap<string, number>
}

/** The facts about the run so far that the invariants of an API may use. */
export interface FollowedRun {
  readonly tasks: { find(id: string | null): FollowedTask | undefined }
}

/** Checks one rule while the journal grows. */
export interface Invariant<Task = FollowedTask> {
  admitted?(entry: JournalEntry, task: Task | undefined): void
  settled?(entry: JournalEntry, task: Task | undefined): void
  /** Called for a callback when its receiver has answered it, or has not. */
  notified?(entry: JournalEntry, task: Task | undefined): void
  /** Called when the client was started again. A new process knows nothing of the earlier one, and need not wait for it. */
  restarted?(): void
  findings(): Findings
}

/** How an invariant is judged at the end of every run. */
interface AtEnd {
  /** The key of `allow` that leaves it out. */
  readonly allow: keyof Allowances
  /** The expectation, as a sentence. */
  readonly expected: string
}

/** What a good client never breaks. */
export interface InvariantDefinition<Run = FollowedRun, Task = FollowedTask> {
  readonly name: InvariantName
  /** The rule, as a sentence. */
  readonly means: string
  /** What a client that violates it should do. */
  readonly advice: string
  /** How to follow the advice in the language of the client, as a sentence. */
  readonly howTo?: { readonly python?: string; readonly javascript?: string }
  /** What would exercise it, to complete "not exercised: no …". */
  readonly needs: string
  /** Set if it is judged only when the end of the client is known, or if it is expected by name. */
  readonly atEnd?: AtEnd
  /** How much a violation costs the client's user, for exploration. Missing: bad manners. */
  readonly severity?: 'paid twice' | 'gave up' | 'hung'
  /** Whether worse can follow from a violation, as from an end that the client did not read. Missing: bad manners cause nothing. */
  readonly canCause?: true
  /** Whether a client can keep it only if the gateway itself answers polls and submissions, and no rule does. */
  readonly needsOwnBodies?: true
  /** Whether a later request may correct a violation, such as a repeat of a broken stream. */
  readonly isMendable?: true
  readonly watch: (run: Run, settings: AlwaysExpectation) => Invariant<Task>
}

/** Counts how often an invariant was exercised and violated, and stores the first violation. */
export class Findings {
  exercised = 0
  violations = 0
  first: Violation | undefined
  doubtful: { readonly count: number; readonly first: Violation } | undefined
  /** What was missing to exercise it; replaces `needs` of the invariant in the message. */
  missing: string | undefined
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
