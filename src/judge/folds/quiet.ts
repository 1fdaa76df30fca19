import { parseDuration } from '../../engine/clock/duration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import type { QuietExpectation } from '../expectations/expect.ts'
import { maxListedNames, type Finding } from '../judged.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import { channelOf } from '../operations.ts'
import type { End, Fold } from './fold.ts'
import { isMeant, selectorInWords } from './selection.ts'

/** Counts requests in the time in which there should be none. */
export class QuietFold implements Fold {
  readonly #wanted: QuietExpectation
  readonly #afterMs: number
  readonly #forMs: number
  readonly #offending: number[] = []
  #count = 0
  #first: number | undefined

  constructor(wanted: QuietExpectation) {
    this.#wanted = wanted
    this.#afterMs = parseDuration(wanted.after)
    this.#forMs = parseDuration(wanted.for)
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined): void {
    this.#first ??= entry.at
    if (!isMeant(this.#wanted, entry, task)) return
    const since = this.#isOfTasks ? task?.submission?.at : this.#first
    if (since === undefined) return
    const passedMs = entry.at - since
    if (passedMs < this.#afterMs || passedMs > this.#afterMs + this.#forMs) return
    this.#count++
    if (this.#offending.length < maxListedNames) this.#offending.push(entry.number)
  }

  /** The instant until which the run must last for the silence to be heard; undefined when nothing begins it. */
  horizon({ tasks }: Pick<End, 'tasks'>): number | undefined {
    const { channel, taskNth } = this.#wanted
    const begins = this.#isOfTasks
      ? tasks
          .all()
          .filter(
            (task) =>
              (channel ?? this.#channel) === task.channel && (taskNth === undefined || task.nth === taskNth),
          )
          .map(({ submission }) => submission?.at)
      : [this.#first]
    const known = begins.filter((begin) => begin !== undefined)
    return known.length === 0 ? undefined : Math.max(...known) + this.#afterMs + this.#forMs
  }

  finding(end: End): Finding {
    const { after, for: duration } = this.#wanted
    const since = this.#isOfTasks ? 'its submission' : 'the first request'
    const expected = `no ${selectorInWords(this.#wanted)} for ${duration}, from ${after} after ${since}`
    const requests = this.#offending
    if (this.#count > 0) return { verdict: 'fail', expected, actual: `there were ${this.#count}`, requests }
    const horizon = this.horizon(end)
    if (horizon === undefined) {
      return { verdict: 'not-exercised', expected, actual: 'nothing began it', requests }
    }
    if (end.now < horizon) {
      const actual = `the run ended ${horizon - end.now}ms before`
      return { verdict: 'not-exercised', expected, actual, requests }
    }
    return { verdict: 'pass', expected, actual: 'none', requests }
  }

  get #channel(): ReturnType<typeof channelOf> {
    return channelOf([this.#wanted.op].flat()[0]!)
  }

  get #isOfTasks(): boolean {
    return this.#channel !== null
  }
}
