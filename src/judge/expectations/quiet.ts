import { parseDuration } from '../../engine/clock/duration.ts'
import type { OperationTable } from '../../engine/operations/operation-table.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { formatMs, maxListed } from '../ranges.ts'
import type { WatchedTask, WatchedTasks } from '../watched-tasks.ts'
import type { ExpectPath, ExpectationFinding, PlacedCheck, RunState } from './check.ts'
import type { QuietExpectation } from '../../scenario/vocabulary/types.ts'
import { formatSelector, isSelected } from './selection.ts'

/** Counts requests in a period in which none may be sent. */
export class QuietCheck implements PlacedCheck {
  readonly path: ExpectPath
  readonly #wanted: QuietExpectation
  readonly #afterMs: number
  readonly #endMs: number
  readonly #operations: OperationTable
  /** The kinds of tasks whose submissions start the period; undefined if the first request does. */
  readonly #kinds: ReadonlySet<string | undefined> | undefined
  readonly #offending: number[] = []
  #count = 0
  #firstAt: number | undefined

  /** @throws {DurationError} for an invalid duration. */
  constructor(path: ExpectPath, wanted: QuietExpectation, operations: OperationTable) {
    this.path = path
    this.#wanted = wanted
    this.#afterMs = parseDuration(wanted.after)
    this.#endMs = this.#afterMs + parseDuration(wanted.for)
    this.#operations = operations
    const kinds = operations.kindsOf(wanted)
    if (!kinds.has(undefined)) this.#kinds = kinds
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined): void {
    this.#firstAt ??= entry.at
    if (!isSelected(this.#wanted, entry, task)) return
    const since = this.#kinds === undefined ? this.#firstAt : task?.submission?.at
    if (since === undefined) return
    const elapsedMs = entry.at - since
    if (elapsedMs < this.#afterMs || elapsedMs > this.#endMs) return
    this.#count++
    if (this.#offending.length < maxListed) this.#offending.push(entry.number)
  }

  /** The end of the period; undefined if it has not started. */
  horizon(tasks: WatchedTasks): number | undefined {
    const { kind, taskNth } = this.#wanted
    const starts =
      this.#kinds === undefined
        ? [this.#firstAt]
        : tasks
            .all()
            .filter((task) =>
              kind === undefined ? this.#kinds!.has(task.kind ?? undefined) : task.kind === kind,
            )
            .filter(({ nth }) => taskNth === undefined || nth === taskNth)
            .map(({ submission }) => submission?.at)
    const known = starts.filter((start) => start !== undefined)
    return known.length === 0 ? undefined : Math.max(...known) + this.#endMs
  }

  judge({ now, watch }: RunState): ExpectationFinding {
    const { after, for: duration } = this.#wanted
    const since = this.#kinds === undefined ? 'the first request' : 'its submission'
    const expected = `no ${formatSelector(this.#wanted, this.#operations)} for ${duration}, from ${after} after ${since}`
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
