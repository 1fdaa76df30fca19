import type { JournalEntry, SentRequest } from '../../gateway/journal.ts'
import { isDelivered } from '../answers.ts'
import type { RequestExpectation } from '../expectations/expect.ts'
import { maxListedNames, type Finding } from '../judged.ts'
import { Memory } from '../memory.ts'
import { countInWords, fitsCount } from '../ranges.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import { isAboutSent, SentCheck } from './sent.ts'
import type { End, Fold } from './fold.ts'
import { isMeant, manner, mannerOf, selectorInWords, matchesExpectation } from './selection.ts'

/** Numbers of requests: how many, and the first few. */
class Tally {
  count = 0
  readonly first: number[] = []

  add({ number }: JournalEntry): void {
    this.count++
    if (this.first.length < maxListedNames) this.first.push(number)
  }

  copy(): Tally {
    const copy = new Tally()
    copy.count = this.count
    copy.first.push(...this.first)
    return copy
  }
}

/** Counts the requests that an expectation means, and how many of them went as they should. */
export class RequestFold implements Fold {
  readonly #wanted: RequestExpectation
  /** Those that are meant, each counted once its answer has gone. */
  readonly #fitting = new Tally()
  readonly #unfitting = new Tally()
  #meant = 0
  #target: JournalEntry | undefined
  /** How many of the states in `saw` each task was shown, in their order. */
  readonly #seen = new Memory<{ task: string; states: number; last: number }>()

  readonly #sentCheck: SentCheck | undefined
  /** Why a request was not sent as expected, or how to find out once regular expressions can be tried. */
  readonly #problems = new WeakMap<JournalEntry, { problem: string | undefined } | SentRequest>()
  /** Exchanges that ended before regular expressions could be tried. */
  #waiting: (readonly [JournalEntry, WatchedTask | undefined])[] = []
  #firstProblem: string | undefined
  /** Requests that came before the watch, so that nobody knows what they sent. */
  readonly #unknown = new Tally()

  /** @throws {MatchError} for a path into the body that can't be read. */
  constructor(wanted: RequestExpectation) {
    this.#wanted = wanted
    this.#sentCheck = isAboutSent(wanted) ? new SentCheck(wanted) : undefined
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined, sent?: () => SentRequest): void {
    if (!isMeant(this.#wanted, entry, task)) return
    if (this.#sentCheck && !sent) this.#unknown.add(entry)
    if (this.#sentCheck && sent) {
      const request = sent()
      const isKnown = !this.#sentCheck.mustWait
      this.#problems.set(entry, isKnown ? { problem: this.#sentCheck.mismatch(request) } : request)
    }
    this.#meant++
    if (this.#meant === this.#wanted.nth) this.#target = entry
  }

  settled(entry: JournalEntry, task: WatchedTask | undefined): void {
    if (!isMeant(this.#wanted, entry, task)) return
    this.#waiting.push([entry, task])
    if (!this.#sentCheck?.mustWait) this.#countWaiting()
  }

  #countWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const [entry, task] of waiting) this.#count(entry, task)
  }

  #count(entry: JournalEntry, task: WatchedTask | undefined): void {
    const fits = this.#fits(entry)
    ;(fits ? this.#fitting : this.#unfitting).add(entry)
    if (fits && this.#wanted.saw && task) this.#show(entry, task)
  }

  /** Whether an exchange was sent and went as expected. */
  #fits(entry: JournalEntry): boolean {
    const problem = this.#problemOf(entry)
    if (problem !== undefined) this.#firstProblem ??= `#${entry.number}: ${problem}`
    return problem === undefined && matchesExpectation(this.#wanted, entry)
  }

  #problemOf(entry: JournalEntry): string | undefined {
    const found = this.#problems.get(entry)
    if (found === undefined || 'problem' in found) return found?.problem
    const problem = this.#sentCheck!.mismatch(found)
    this.#problems.set(entry, { problem })
    return problem
  }

  finding(end: End): Finding {
    this.#countWaiting()
    const finding = this.#judge(end)
    if (this.#sentCheck?.error) throw this.#sentCheck.error
    if (this.#unknown.count > 0) {
      const actual = `${this.#unknown.count} came before the watch began, so what they sent is not known`
      return { ...finding, verdict: 'fail', actual, requests: this.#unknown.first }
    }
    const isNamed = this.#firstProblem === undefined || this.#wanted.nth !== undefined
    if (finding.verdict !== 'fail' || isNamed) return finding
    return { ...finding, actual: `${finding.actual}; ${this.#firstProblem}` }
  }

  #judge({ open, tasks }: End): Finding {
    const { nth, each, saw } = this.#wanted
    const [fitting, unfitting] = [this.#fitting.copy(), this.#unfitting.copy()]
    for (const entry of open) {
      if (!isMeant(this.#wanted, entry, tasks.find(entry.task))) continue
      ;(this.#fits(entry) ? fitting : unfitting).add(entry)
    }
    const counted =
      nth !== undefined
        ? this.#ofTarget()
        : each
          ? this.#ofEach(unfitting)
          : this.#ofCount(fitting, unfitting)
    return counted.verdict === 'pass' && saw ? this.#ofSaw(saw, counted) : counted
  }

  #show(entry: JournalEntry, { id }: WatchedTask): void {
    const { shown, number } = entry
    const seen = this.#seen.get(id) ?? { task: id, states: 0, last: 0 }
    this.#seen.set(id, seen)
    seen.last = number
    // What was lost on the way was shown to nobody.
    if (isDelivered(entry) && shown !== null && shown === this.#wanted.saw![seen.states]) seen.states++
  }

  #ofTarget(): Finding {
    const { nth } = this.#wanted
    const which = selectorInWords(this.#wanted)
    const expected = `${which}, request ${nth}: ${manner(this.#wanted) || 'asked'}`
    const entry = this.#target
    if (!entry) return { verdict: 'fail', expected, actual: `there were ${this.#meant}`, requests: [] }
    const verdict = this.#fits(entry) ? 'pass' : 'fail'
    const problem = this.#problemOf(entry)
    const actual = `${mannerOf(entry)}${problem === undefined ? '' : `; ${problem}`}`
    return { verdict, expected, actual, requests: [entry.number] }
  }

  #ofEach(unfitting: Tally): Finding {
    const expected = `each ${selectorInWords(this.#wanted)}: ${manner(this.#wanted)}`
    if (this.#meant === 0)
      return { verdict: 'not-exercised', expected, actual: 'there was none', requests: [] }
    const actual = `${unfitting.count} of ${this.#meant} went otherwise`
    return { verdict: unfitting.count === 0 ? 'pass' : 'fail', expected, actual, requests: unfitting.first }
  }

  #ofCount(fitting: Tally, unfitting: Tally): Finding {
    const { count = { min: 1 } } = this.#wanted
    const how = manner(this.#wanted)
    const expected = `${countInWords(count)} × ${selectorInWords(this.#wanted)}${how && ` (${how})`}`
    const others = how === '' ? '' : ` of ${this.#meant}`
    const actual = `${fitting.count}${others}`
    if (fitsCount(count, fitting.count)) return { verdict: 'pass', expected, actual, requests: [] }
    // Too many: those are the offence. Too few: those that went otherwise tell why.
    const tooMany = fitting.count > 0 && fitsCount(count, 0)
    const most = typeof count === 'number' ? count : (count.max ?? Infinity)
    const requests = tooMany || fitting.count > most ? fitting.first : unfitting.first
    return { verdict: 'fail', expected, actual, requests }
  }

  #ofSaw(saw: readonly string[], counted: Finding): Finding {
    const expected = `${counted.expected}, shown ${saw.join(', ')} in this order`
    const all = [...this.#seen.values()]
    if (all.length === 0) {
      return { verdict: 'not-exercised', expected, actual: 'no task was shown by them', requests: [] }
    }
    const short = all.filter(({ states }) => states < saw.length)
    const [first] = short
    if (!first) return { ...counted, expected, actual: `${counted.actual}, all shown` }
    return {
      verdict: 'fail',
      expected,
      actual: `task ${first.task} was not shown ${saw[first.states]}${first.states > 0 ? ` after ${saw[first.states - 1]}` : ''}`,
      requests: short.slice(0, maxListedNames).map(({ last }) => last),
    }
  }
}
