import { maxTracked } from '../../apis/define/invariant.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { JournalEntry, SentRequest } from '../../gateway/journal.ts'
import { readMatch, type ReadMatch } from '../../scenario/rules/match.ts'
import { isDelivered } from '../exchanges.ts'
import { fitsCount, formatCount, maxListed, formatTimes } from '../ranges.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import type { ExpectPath, ExpectationFinding, PlacedCheck, RunState } from './check.ts'
import type { RequestExpectation, WebhookExpectation } from '../../scenario/vocabulary/types.ts'
import {
  createExchangeMatcher,
  formatExchange,
  formatProperties,
  formatSelector,
  isSelected,
} from './selection.ts'

/** A number of requests, and the numbers of the first few. */
class Tally {
  count = 0
  readonly first: number[] = []

  add({ number }: JournalEntry): void {
    this.count++
    if (this.first.length < maxListed) this.first.push(number)
  }

  with(entries: readonly JournalEntry[]): Tally {
    const sum = new Tally()
    sum.count = this.count
    sum.first.push(...this.first)
    for (const entry of entries) sum.add(entry)
    return sum
  }
}

/** Counts the selected requests, and those that met the expectation. */
export class RequestCheck implements PlacedCheck {
  readonly path: ExpectPath
  readonly #wanted: RequestExpectation
  readonly #operations: OperationTable
  readonly #matchesExchange: (entry: JournalEntry) => boolean
  /** Compares the client's request; undefined if nothing is expected of it. */
  readonly #matchSent: ReadMatch | undefined
  #selected = 0
  /** The request with the number `nth`. */
  #target: JournalEntry | undefined
  /** Selected requests that have settled. */
  readonly #fitting = new Tally()
  readonly #unfitting = new Tally()
  /** The problem of a sent request. */
  readonly #sent = new WeakMap<JournalEntry, { problem: string | undefined }>()
  #firstProblem: string | undefined
  #matchError: Error | undefined
  /** Requests from before the watch. Their content is unknown. */
  readonly #unknown = new Tally()
  /** By task: how many states of `saw` its polls have reported, in order. */
  readonly #seen = new BoundedMap<{ task: string; states: number; last: number }>(maxTracked)

  /** @throws {DurationError} for an invalid duration. */
  constructor(path: ExpectPath, wanted: RequestExpectation, operations: OperationTable) {
    this.#operations = operations
    this.path = path
    this.#wanted = wanted
    this.#matchesExchange = createExchangeMatcher(wanted)
    const { body, headers, query } = wanted
    if (body ?? headers ?? query) {
      this.#matchSent = readMatch({ op: '*', body: body ?? {}, headers: headers ?? {}, query: query ?? {} })
    }
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined, sent?: () => SentRequest): void {
    if (!isSelected(this.#wanted, entry, task)) return
    if (this.#matchSent && !sent) this.#unknown.add(entry)
    if (this.#matchSent && sent) this.#sent.set(entry, { problem: this.#findSentProblem(sent()) })
    this.#selected++
    if (this.#selected === this.#wanted.nth) this.#target = entry
  }

  settled(entry: JournalEntry, task: WatchedTask | undefined): void {
    if (!isSelected(this.#wanted, entry, task)) return
    const fits = this.#fits(entry)
    ;(fits ? this.#fitting : this.#unfitting).add(entry)
    if (fits && this.#wanted.saw && task) this.#recordState(this.#wanted.saw, entry, task)
  }

  judge({ watch }: RunState): ExpectationFinding {
    const open = [...watch.open].filter((entry) =>
      isSelected(this.#wanted, entry, watch.tasks.find(entry.task)),
    )
    const finding = this.#judgeWith(open)
    if (this.#matchError) throw this.#matchError
    if (this.#unknown.count > 0) {
      const actual = `${this.#unknown.count} came before the watch, so what they sent is unknown`
      return { ...finding, verdict: 'fail', actual, requests: this.#unknown.first }
    }
    const canAddProblem = finding.verdict === 'fail' && this.#wanted.nth === undefined
    if (!canAddProblem || this.#firstProblem === undefined) return finding
    return { ...finding, actual: `${finding.actual}; ${this.#firstProblem}` }
  }

  #judgeWith(open: readonly JournalEntry[]): ExpectationFinding {
    const { nth, each, saw } = this.#wanted
    const openFitting = open.filter((entry) => this.#fits(entry))
    const fitting = this.#fitting.with(openFitting)
    const unfitting = this.#unfitting.with(open.filter((entry) => !openFitting.includes(entry)))
    const counted =
      nth !== undefined
        ? this.#judgeTarget(nth)
        : each
          ? this.#judgeEach(unfitting)
          : this.#judgeCount(fitting, unfitting)
    return counted.verdict === 'pass' && saw ? this.#judgeSaw(saw, counted) : counted
  }

  #fits(entry: JournalEntry): boolean {
    const problem = this.#sent.get(entry)?.problem
    if (problem !== undefined) this.#firstProblem ??= `#${entry.number}: ${problem}`
    return problem === undefined && this.#matchesExchange(entry)
  }

  /** Finds a problem. Messages name fields and never contain values, which may be keys. */
  #findSentProblem(sent: SentRequest): string | undefined {
    const hasBodyMatch = Object.keys(this.#wanted.body ?? {}).length > 0
    if (hasBodyMatch && sent.body === undefined) return 'the body could not be read'
    try {
      return this.#matchSent!.mismatch({ ...unmatchedParts, ...sent, body: sent.body ?? {} })
    } catch (error) {
      // A mistake in an expectation must not fail the request.
      this.#matchError = error as Error
      return 'it could not be compared'
    }
  }

  #recordState(saw: readonly string[], entry: JournalEntry, { id }: WatchedTask): void {
    const { reportedStatus, number } = entry
    const seen = this.#seen.get(id) ?? { task: id, states: 0, last: 0 }
    this.#seen.set(id, seen)
    seen.last = number
    if (isDelivered(entry) && reportedStatus !== null && reportedStatus === saw[seen.states]) seen.states++
  }

  #judgeTarget(nth: number): ExpectationFinding {
    const properties = formatProperties(this.#wanted) || 'sent'
    const expected = `${formatSelector(this.#wanted, this.#operations)}, request ${nth}: ${properties}`
    const entry = this.#target
    if (!entry) return { verdict: 'fail', expected, actual: `there were ${this.#selected}`, requests: [] }
    const problem = this.#sent.get(entry)?.problem
    const actual = `${formatExchange(entry)}${problem === undefined ? '' : `; ${problem}`}`
    return { verdict: this.#fits(entry) ? 'pass' : 'fail', expected, actual, requests: [entry.number] }
  }

  #judgeEach(unfitting: Tally): ExpectationFinding {
    const expected = `each ${formatSelector(this.#wanted, this.#operations)}: ${formatProperties(this.#wanted)}`
    if (this.#selected === 0)
      return { verdict: 'not-exercised', expected, actual: 'there was no such request', requests: [] }
    const actual = `${unfitting.count} of ${this.#selected} did not match`
    return { verdict: unfitting.count === 0 ? 'pass' : 'fail', expected, actual, requests: unfitting.first }
  }

  #judgeCount(fitting: Tally, unfitting: Tally): ExpectationFinding {
    const { count = { min: 1 } } = this.#wanted
    const properties = formatProperties(this.#wanted)
    const expected = `${formatCount(count)} × ${formatSelector(this.#wanted, this.#operations)}${properties && ` (${properties})`}`
    const actual = `${fitting.count}${properties === '' ? '' : ` of ${this.#selected}`}`
    if (fitsCount(count, fitting.count)) return { verdict: 'pass', expected, actual, requests: [] }
    // Too many: the surplus ones are the offence. Too few: those that did not match show why.
    const max = typeof count === 'number' ? count : (count.max ?? Infinity)
    const requests = fitting.count > max ? fitting.first : unfitting.first
    return { verdict: 'fail', expected, actual, requests }
  }

  #judgeSaw(saw: readonly string[], counted: ExpectationFinding): ExpectationFinding {
    const expected = `${counted.expected}, which showed ${saw.join(', ')} in this order`
    const all = [...this.#seen.values()]
    if (all.length === 0)
      return { verdict: 'not-exercised', expected, actual: 'they showed no task', requests: [] }
    const incomplete = all.filter(({ states }) => states < saw.length)
    const [first] = incomplete
    if (!first) return { ...counted, expected, actual: `${counted.actual}, and all states were seen` }
    const after = first.states > 0 ? ` after ${saw[first.states - 1]}` : ''
    return {
      verdict: 'fail',
      expected,
      actual: `task ${first.task} did not show ${saw[first.states]}${after}`,
      requests: incomplete.slice(0, maxListed).map(({ last }) => last),
    }
  }
}

/** The parts of a request that expectations can't match. */
const unmatchedParts = {
  operationName: '',
  role: 'read' as const,
  namespaceName: '',
  keyName: '',
  accountName: '',
  subject: '',
  attempt: 0,
  now: 0,
  elapsedMs: 0,
}

/** Counts the webhooks that were sent, and those that were received as expected. */
export class WebhookCheck implements PlacedCheck {
  readonly path: ExpectPath
  readonly #wanted: WebhookExpectation
  readonly #fitsStatus: (entry: JournalEntry) => boolean
  #sent = 0
  #fitting = 0
  #last: JournalEntry | undefined
  readonly #numbers: number[] = []

  constructor(path: ExpectPath, wanted: WebhookExpectation) {
    this.path = path
    this.#wanted = wanted
    const { status } = wanted
    this.#fitsStatus = createExchangeMatcher({ op: '*', ...(status !== undefined && { status }) })
  }

  notified(entry: JournalEntry, task: WatchedTask | undefined): void {
    const { taskNth, state } = this.#wanted
    if (taskNth !== undefined && task?.nth !== taskNth) return
    this.#sent++
    this.#last = entry
    const fitsState = state === undefined || [state].flat().includes(entry.reportedStatus ?? '')
    if (fitsState && this.#fitsStatus(entry)) this.#fitting++
    else if (this.#numbers.length < maxListed) this.#numbers.push(entry.number)
  }

  judge(): ExpectationFinding {
    const { taskNth, state, status, count = { min: 1 } } = this.#wanted
    const of = taskNth === undefined ? '' : ` of drawing task ${taskNth}`
    const about = state === undefined ? '' : ` for ${[state].flat().join(' or ')}`
    const answered = status === undefined ? '' : ` answered with ${[status].flat().join(' or ')}`
    const expected = `${formatCount(count)} × webhook${of}${about}${answered}`
    if (fitsCount(count, this.#fitting)) return { verdict: 'pass', expected, actual: expected, requests: [] }
    const last = this.#last
    const answer = last && (last.status === 0 ? 'not delivered' : `answered with ${last.status}`)
    const end = last
      ? `; the last of ${this.#sent} was for ${last.reportedStatus}, ${answer}`
      : '; none was sent'
    return { verdict: 'fail', expected, actual: formatTimes(this.#fitting) + end, requests: this.#numbers }
  }
}
