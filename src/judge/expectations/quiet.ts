import { parseDuration } from '../../engine/clock/duration.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { channelOf } from '../operation-facts.ts'
import { formatMs, maxListed } from '../ranges.ts'
import type { WatchedTask, WatchedTasks } from '../watched-tasks.ts'
import type { ExpectPath, Finding, PlacedCheck, RunState } from './check.ts'
import type { Channel, QuietExpectation } from '../../scenario/vocabulary/types.ts'
import { formatSelector, isSelected } from './selection.ts'

/** Counts requests in a period in which none may be sent. */
export class QuietCheck implements PlacedCheck {
  readonly path: ExpectPath
  readonly #wanted: QuietExpectation
  readonly #afterMs: number
  readonly #endMs: number
  /** The channel whose submissions start the period; null if the first request does. */
  readonly #channel: Channel | null
  readonly #offending: number[] = []
  #count = 0
  #firstAt: number | undefined

  /** @throws {DurationError} for an invalid duration. */
  constructor(path: ExpectPath, wanted: QuietExpectation) {
    this.path = path
    this.#wanted = wanted
    this.#afterMs = parseDuration(wanted.after)
    this.#endMs = this.#afterMs + parseDuration(wanted.for)
    this.#channel = channelOf([wanted.op].flat()[0]!)
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined): void {
    this.#firstAt ??= entry.at
    if (!isSelected(this.#wanted, entry, task)) return
    const since = this.#channel === null ? this.#firstAt : task?.submission?.at
    if (since === undefined) return
    const elapsedMs = entry.at - since
    if (elapsedMs < this.#afterMs || elapsedMs > this.#endMs) return
    this.#count++
    if (this.#offending.length < maxListed) this.#offending.push(entry.number)
  }

  /** The end of the period; undefined if it has not started. */
  horizon(tasks: WatchedTasks): number | undefined {
    const { channel = this.#channel, taskNth } = this.#wanted
    const starts =
      this.#channel === null
        ? [this.#firstAt]
        : tasks
            .all()
            .filter((task) => task.channel === channel && (taskNth === undefined || task.nth === taskNth))
            .map(({ submission }) => submission?.at)
    const known = starts.filter((start) => start !== undefined)
    return known.length === 0 ? undefined : Math.max(...known) + this.#endMs
  }

  judge({ now, watch }: RunState): Finding {
    const { after, for: duration } = this.#wanted
    const since = this.#channel === null ? 'the first request' : 'its submission'
    const expected = `no ${formatSelector(this.#wanted)} for ${duration}, from ${after} after ${since}`
    const finding = { expected, requests: this.#offending }
    if (this.#count > 0) return { ...finding, verdict: 'fail', actual: `there were ${this.#count}` }
    const horizon = this.horizon(watch.tasks)
    if (horizon === undefined)
      return { ...finding, verdict: 'not-exercised', actual: 'the period never began' }
    if (now >= horizon) return { ...finding, verdict: 'pass', actual: 'none' }
    return {
      ...finding,
      verdict: 'not-exercised',
      actual: `the run ended ${formatMs(horizon - now)} too early`,
    }
  }
}
