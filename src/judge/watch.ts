import type { Invariant } from '../apis/define/invariant.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import { copyIdleTime } from '../gateway/idle-times.ts'
import type { Journal, JournalEntry, SentRequest } from '../gateway/journal.ts'
import type { PlacedCheck, RunCounts } from './expectations/check.ts'
import type { Expect } from '../scenario/vocabulary/types.ts'
import { isListing } from './exchanges.ts'
import {
  createReport,
  DuplicateIntent,
  type ClientEnd,
  type Fate,
  type InvariantContext,
  type GeneralInvariant,
  type InvariantReport,
} from './invariants/invariant.ts'
import { invariants } from './invariants/invariants.ts'
import { maxListed } from './ranges.ts'
import { isOnClock, timingOf, type RunTiming } from './waits.ts'
import type { FiredRules } from './verdict.ts'
import { Usage, type Statistics } from './usage.ts'
import { WatchedTasks } from './watched-tasks.ts'

/** More requests with rules are not in a verdict. */
const maxFired = 100

/** The lines of later requests are not remembered. */
const maxPlaces = 10_000

/**
 * Follows a run as its journal grows, and counts everything that judging needs. It also counts violations of entries that
 * the journal has dropped. Its memory is bounded.
 *
 * @example
 * const watch = new Watch({}, [], sim.core.operations)
 * const stop = watchJournal(sim.core.namespaces.get('default').journal, watch)
 * await client.submitVideo('a red kite')
 * stop()
 * watch.exchanges // → 1
 */
export class Watch implements RunCounts {
  readonly expect: Expect
  readonly checks: readonly PlacedCheck[]
  readonly operations: OperationTable
  readonly tasks: WatchedTasks
  readonly usage = new Usage()
  readonly open = new Set<JournalEntry>()
  readonly unmatched = {
    count: 0,
    first: [] as { number: number; method: string; path: string }[],
    hints: new Set<string>(),
  }
  /** The first few requests that the gateway refused by itself. */
  readonly refused: Statistics['refused'][number][] = []
  /** Requests with an internal error of the simulator. */
  readonly internalErrors: { count: number; first: { number: number; message: string }[] } = {
    count: 0,
    first: [],
  }
  /** The first requests at which rules or throttles fired. */
  readonly fired: FiredRules[] = []
  firstAt: number | null = null
  lastAt: number | null = null
  /** The number of admitted exchanges. */
  exchanges = 0
  /** How many responses a transport could only approximate, by fault. */
  readonly approximated = new Map<string, number>()
  /** The lines of the program that sent the first requests, by their numbers. */
  readonly places = new Map<number, string>()
  /** The cost of all requests, in the gateway's units. Failed tasks return theirs. */
  quota = 0
  readonly #invariants: readonly Invariant[]
  readonly #context: InvariantContext
  /** How the client ended; undefined until that is known. */
  end: ClientEnd | undefined
  #isExact = true

  /**
   * @param checks those of `expect`. The code of expectations creates them, which a server without a scenario never loads.
   * @param operations those of the simulator.
   */
  constructor(expect: Expect, checks: readonly PlacedCheck[], operations: OperationTable) {
    this.expect = expect
    this.checks = checks
    this.operations = operations
    this.tasks = new WatchedTasks(operations)
    this.#context = {
      operations,
      tasks: this.tasks,
      duplicates: new DuplicateIntent(),
      lastListing: 0,
      previousRequest: 0,
      hasSleeper: false,
      fates: new Map(),
      end: () => this.end,
    }
    const { always = [] } = expect
    this.#invariants = invariants.map(({ name, watch }) => {
      const settings = always.find((each) => typeof each === 'object' && each.name === name)
      return watch(this.#context, typeof settings === 'object' ? settings : { name })
    })
  }

  /** Records a request at its admission. */
  admitted(entry: JournalEntry, sent?: () => SentRequest): void {
    const task = this.tasks.admitted(entry)
    this.open.add(entry)
    // Callbacks are not requests of the client.
    if (entry.role === 'report') return
    this.#recordInternalError(entry)
    this.exchanges++
    this.quota += entry.quota
    if (isOnClock(entry)) this.#context.hasSleeper = true
    if (timingOf(entry) !== 'exact') this.#isExact = false
    this.firstAt ??= entry.at
    this.lastAt = Math.max(this.lastAt ?? entry.at, entry.at)
    const { number, method, path, operation, hint, place } = entry
    if (place !== undefined && this.places.size < maxPlaces) this.places.set(number, place)
    if (isListing(entry)) this.#context.lastListing = number
    this.#context.duplicates.admitted(entry)
    if (operation === null) {
      this.unmatched.count++
      if (this.unmatched.first.length < maxListed) {
        this.unmatched.first.push({ number, method, path })
        if (hint !== null) this.unmatched.hints.add(hint)
      }
    }
    for (const invariant of this.#invariants) invariant.admitted?.(entry, task)
    for (const check of this.checks) check.admitted?.(entry, task, sent)
    this.tasks.continued(entry)
    this.usage.admitted(entry)
    this.#recordRules(entry)
    this.#context.previousRequest = number
  }

  #recordInternalError({ number, internalError }: JournalEntry): void {
    if (internalError === undefined) return
    this.internalErrors.count++
    if (this.internalErrors.first.length < maxListed)
      this.internalErrors.first.push({ number, message: internalError })
  }

  #recordRules({ number, operation, rules, status, fault }: JournalEntry): void {
    if (operation === null || rules.length === 0 || this.fired.length === maxFired) return
    this.fired.push({ number, operation, nth: this.usage.requestsOf(operation), rules, status, fault })
  }

  /** Records the same entry when it has settled. */
  settled(entry: JournalEntry): void {
    // Exchanges from before the watch do not count.
    if (!this.open.delete(entry)) return
    if (entry.role === 'report') {
      this.#recordInternalError(entry)
      const task = this.tasks.notified(entry)
      for (const invariant of this.#invariants) invariant.notified?.(entry, task)
      for (const check of this.checks) check.notified?.(entry, task)
      return
    }
    this.#context.duplicates.settled(entry)
    if (entry.settledAt !== null) this.lastAt = Math.max(this.lastAt ?? 0, entry.settledAt)
    const { number, method, path, status, hint } = entry
    if (hint !== null && status >= 400 && entry.rules.length === 0 && this.refused.length < maxListed)
      this.refused.push({ number, method, path, status, reason: hint })
    if (entry.approximated && entry.fault !== null) {
      this.approximated.set(entry.fault, (this.approximated.get(entry.fault) ?? 0) + 1)
    }
    this.tasks.settled(entry)
    const task = this.tasks.find(entry.task)
    for (const invariant of this.#invariants) invariant.settled?.(entry, task)
    for (const check of this.checks) check.settled?.(entry, task)
    this.usage.settled(entry)
  }

  /** Whether all waits so far are exact. */
  get timing(): RunTiming {
    return this.exchanges > 0 && this.#isExact ? 'exact' : 'approximate'
  }

  /** Records that the client was started again after a crash of its process. */
  restarted(): void {
    this.tasks.restarted()
    for (const invariant of this.#invariants) invariant.restarted?.()
  }

  /**
   * The present reports of all invariants that can be judged.
   * @param fates the tasks as the simulator reports them, by id.
   */
  invariants(fates: ReadonlyMap<string, Fate> = new Map()): InvariantReport[] {
    this.#context.fates = fates
    const { always = [], allow = {} } = this.expect
    const named = new Set(always.map((each) => (typeof each === 'object' ? each.name : each)))
    const isLeftOut = ({ name, atEnd }: GeneralInvariant): boolean =>
      atEnd !== undefined && !named.has(name) && (this.end === undefined || allow[atEnd.allow] === true)
    return invariants.flatMap((definition, index) =>
      isLeftOut(definition) ? [] : [createReport(definition, this.#invariants[index]!.findings())],
    )
  }
}

/**
 * Lets a watch follow a journal, from the entries that the journal still has.
 * @returns a function that ends it.
 */
export function watchJournal(journal: Pick<Journal, 'entries' | 'subscribe'>, watch: Watch): () => void {
  replayEntries(journal.entries(), watch)
  return journal.subscribe((entry, event, sent) => watch[event](entry, sent))
}

/**
 * Feeds past entries to a watch in the order of their admissions and settlements. Open entries are followed from now on.
 *
 * @param entries the entries, such as those of a journal or of a recording.
 */
export function replayEntries(entries: Iterable<JournalEntry>, watch: Watch): void {
  const inOrder = [...entries].toSorted((one, other) => one.number - other.number)
  // Sorted by their ends, so that each entry is visited once: thousands may be open at a time.
  const ended = inOrder.filter(({ outcome }) => outcome !== 'open')
  const byNumber = ended
    .filter(({ settledBefore }) => settledBefore != null)
    .toSorted((one, other) => one.settledBefore! - other.settledBefore!)
  const byTime = ended.filter(({ settledBefore }) => settledBefore == null).toSorted(compareEnds)
  const admitted = new Map<JournalEntry, JournalEntry>()
  /** Entries that end before their admission, such as in an edited recording. */
  const early = new Set<JournalEntry>()
  let [ofNumber, ofTime] = [0, 0]
  let due: JournalEntry[] = []
  const settleDue = (): void => {
    for (const entry of due.toSorted(compareEnds)) {
      const asAdmitted = admitted.get(entry)
      if (asAdmitted) watch.settled(Object.assign(asAdmitted, entry))
      else early.add(entry)
      admitted.delete(entry)
    }
    due = []
  }
  for (const entry of inOrder) {
    while (ofNumber < byNumber.length && byNumber[ofNumber]!.settledBefore! <= entry.number)
      due.push(byNumber[ofNumber++]!)
    // If in doubt, an exchange had not settled when another was admitted.
    while (ofTime < byTime.length && endOf(byTime[ofTime]!) < entry.at) due.push(byTime[ofTime++]!)
    if (due.length > 0) settleDue()
    if (entry.outcome === 'open') {
      watch.admitted(entry)
      continue
    }
    const asAdmitted: JournalEntry = { ...entry, ...openFields }
    copyIdleTime(entry, asAdmitted)
    watch.admitted(asAdmitted)
    admitted.set(entry, asAdmitted)
    if (early.delete(entry)) due.push(entry)
  }
  due = [...admitted.keys()]
  settleDue()
}

/** The fields of an entry that are unknown until it settles. */
export const openFields = {
  outcome: 'open',
  bytes: 0,
  approximated: false,
  content: null,
  stream: null,
  firstByteAt: null,
  settledAt: null,
  settledBefore: null,
} as const

const endOf = ({ settledAt, at }: JournalEntry): number => settledAt ?? at

function compareEnds(one: JournalEntry, other: JournalEntry): number {
  return endOf(one) - endOf(other) || one.number - other.number
}
