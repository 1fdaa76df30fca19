import type { Journal, JournalEntry, SentRequest } from '../gateway/journal.ts'
import type { InvariantName } from '../scenario/invariant-names.ts'
import type { AlwaysExpectation, Expect } from './expectations/expect.ts'
import { Downloads } from './folds/downloads.ts'
import type { End, Fold } from './folds/fold.ts'
import { reportOf, type Invariant, type InvariantReport, type Run } from './invariant.ts'
import { invariants } from './invariants/invariants.ts'
import { expectedFolds, type ExpectedFolds } from './folds/expected.ts'
import { Usage } from './folds/usage.ts'
import { checkDurations } from './ranges.ts'
import { DuplicateIntent } from './duplicate-intent.ts'
import { WatchedTasks } from './watched-tasks.ts'

/**
 * Watches a run as its journal grows, and keeps what judging it needs: counts, first and last instants, the latest request
 * of each kind. It forgets no violation, whatever the journal forgets, and needs no more memory the longer the run lasts.
 *
 * @example
 * const watch = new Watch({ always: ['no-poll-after-terminal'] })
 * const stop = watchJournal(sim.core.namespaces.get('default').journal, watch)
 * await client.submitVideo('a red kite')
 * stop()
 * watch.exchanges // → 1
 */
export class Watch {
  readonly expect: Expect
  readonly tasks = new WatchedTasks()
  readonly downloads = new Downloads()
  readonly usage = new Usage()
  /** What is counted for each expectation. */
  readonly folds: ExpectedFolds
  /** Requests that no operation answers: how many, and the first few. */
  readonly unmatched: { count: number; first: { number: number; method: string; path: string }[] } = {
    count: 0,
    first: [],
  }
  /** The instants of the first admission and of the last thing that happened; null before the first. */
  firstAt: number | null = null
  lastAt: number | null = null
  /** How many exchanges were admitted. */
  exchanges = 0
  /** How many answers could be broken only nearly as they should, by fault. */
  readonly approximated = new Map<string, number>()
  readonly #invariants: readonly {
    readonly definition: (typeof invariants)[number]
    readonly watch: Invariant
  }[]
  readonly #every: readonly (Fold | Invariant)[]
  readonly #open = new Set<JournalEntry>()
  readonly #wants = new DuplicateIntent()
  #listedAt = 0
  #before = 0

  /**
   * @param expect what will be judged, so that it is counted from the first request on.
   * @throws {PatternError} {DurationError} for a sequence or a duration that can't be read.
   */
  constructor(expect: Expect = {}) {
    checkDurations(expect)
    this.expect = expect
    this.folds = expectedFolds(expect)
    const run = this.#run()
    this.#invariants = invariants.map((definition) => ({
      definition,
      watch: definition.watch(run, settingsFor(definition.name, expect)),
    }))
    this.#every = [...this.#invariants.map(({ watch }) => watch), ...this.folds.all]
  }

  /** Takes in a request when it is admitted. */
  admitted(entry: JournalEntry, sent?: () => SentRequest): void {
    const task = this.tasks.concerned(entry)
    // A report that went out is no request of the client's.
    if (entry.door === 'hook') return
    this.exchanges++
    this.firstAt ??= entry.at
    this.lastAt = Math.max(this.lastAt ?? entry.at, entry.at)
    this.#note(entry)
    for (const each of this.#every) each.admitted?.(entry, task, sent)
    this.tasks.wentOn(entry)
    this.usage.admitted(entry)
    this.#before = entry.number
  }

  /** Takes in the same again when its answer has gone. */
  settled(entry: JournalEntry): void {
    // What was under way before the watch began is none of its own.
    if (!this.#open.delete(entry)) return
    this.#wants.settled(entry)
    if (entry.settledAt !== null) this.lastAt = Math.max(this.lastAt ?? 0, entry.settledAt)
    if (entry.approximated && entry.fault !== null) {
      this.approximated.set(entry.fault, (this.approximated.get(entry.fault) ?? 0) + 1)
    }
    this.tasks.settled(entry)
    const task = this.tasks.find(entry.task)
    for (const each of this.#every) each.settled?.(entry, task)
    this.downloads.settled(entry, task)
    this.usage.settled(entry)
  }

  /** What each invariant has to say by now. */
  invariants(): InvariantReport[] {
    return this.#invariants.map(({ definition, watch }) => reportOf(definition, watch.findings()))
  }

  /** Where the run stands, for what was counted. */
  end(now: number): End {
    return { now, tasks: this.tasks, open: this.#open }
  }

  #note(entry: JournalEntry): void {
    this.#open.add(entry)
    if (entry.operation === 'mj.list' || entry.operation === 'videos.list') this.#listedAt = entry.number
    this.#wants.admitted(entry)
    if (entry.operation !== null) return
    this.unmatched.count++
    const { number, method, path } = entry
    if (this.unmatched.first.length < 5) this.unmatched.first.push({ number, method, path })
  }

  #run(): Run {
    const listedAt = (): number => this.#listedAt
    const before = (): number => this.#before
    return {
      tasks: this.tasks,
      wants: this.#wants,
      get listedAt() {
        return listedAt()
      },
      get before() {
        return before()
      },
    }
  }
}

/**
 * Lets a watch follow a journal, beginning with what the journal still knows.
 * @returns what ends it.
 */
export function watchJournal(journal: Pick<Journal, 'entries' | 'subscribe'>, watch: Watch): () => void {
  replayEntries(journal.entries(), watch)
  return journal.subscribe((entry, what, sent) => watch[what](entry, sent))
}

/**
 * Tells a watch of entries that lie in the past, as they happened: each answer goes when it went. Those whose answers are
 * still under way are followed as they are.
 *
 * @param entries such as those of a journal, or lines of a recorded one.
 */
export function replayEntries(entries: Iterable<JournalEntry>, watch: Watch): void {
  const inOrder = [...entries].toSorted((one, other) => one.number - other.number)
  let pending: { entry: JournalEntry; asAdmitted: JournalEntry }[] = []
  const settle = (isDue: (entry: JournalEntry) => boolean): void => {
    const due = pending.filter(({ entry }) => isDue(entry)).toSorted(byEnd)
    if (due.length === 0) return
    pending = pending.filter(({ entry }) => !isDue(entry))
    for (const { entry, asAdmitted } of due) watch.settled(Object.assign(asAdmitted, entry))
  }
  for (const entry of inOrder) {
    settle((earlier) => hadGone(earlier, entry))
    if (entry.outcome === 'open') {
      watch.admitted(entry)
      continue
    }
    const asAdmitted: JournalEntry = { ...entry, ...notYet }
    watch.admitted(asAdmitted)
    pending.push({ entry, asAdmitted })
  }
  settle(() => true)
}

/** What isn't known of an exchange before its answer has gone. */
export const notYet = {
  outcome: 'open',
  bytes: 0,
  approximated: false,
  content: null,
  stream: null,
  firstByteAt: null,
  settledAt: null,
  settledBefore: null,
} as const

/** Whether an answer had gone when another request came; in doubt, it hadn't. */
function hadGone({ settledBefore, settledAt, at }: JournalEntry, next: JournalEntry): boolean {
  if (settledBefore != null) return settledBefore <= next.number
  return (settledAt ?? at) < next.at
}

function byEnd(one: { entry: JournalEntry }, other: { entry: JournalEntry }): number {
  const ended = (entry: JournalEntry): number => entry.settledAt ?? entry.at
  return ended(one.entry) - ended(other.entry) || one.entry.number - other.entry.number
}

function settingsFor(name: InvariantName, { always = [] }: Expect): AlwaysExpectation {
  const own = always.find((each) => typeof each === 'object' && each.name === name)
  return typeof own === 'object' ? own : { name }
}
