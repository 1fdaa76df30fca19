import { maxTracked } from '../../apis/define/invariant.ts'
import { BoundedMap } from '../../engine/bounded-map.ts'
import { wordsFor } from '../../engine/operations/facts.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { readPattern, type SequencePattern } from '../../scenario/schema/sequence-pattern.ts'
import { isSubmission } from '../exchanges.ts'
import { maxListed } from '../ranges.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import type { ExpectPath, ExpectationFinding, PlacedCheck } from './check.ts'
import type { SequenceExpectation } from '../../scenario/vocabulary/types.ts'

/** The position of one task in the sequence. */
interface Progress {
  readonly task: string
  states: ReadonlySet<number>
  /** The first request that did not match, and the operations that would have matched. */
  mismatch?: { readonly number: number; readonly operation: string; readonly expected: readonly string[] }
  last: number
}

/** Matches the operations of each task. A submission belongs to the task that it creates; redirects don't count. */
export class SequenceCheck implements PlacedCheck {
  readonly path: ExpectPath
  readonly #wanted: SequenceExpectation
  readonly #pattern: SequencePattern
  readonly #tasks = new BoundedMap<Progress>(maxTracked)

  /** @throws {PatternError} for an invalid sequence. */
  constructor(path: ExpectPath, wanted: SequenceExpectation) {
    this.path = path
    this.#wanted = wanted
    this.#pattern = readPattern(wanted.is)
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined): void {
    const { operation, status, number } = entry
    if (!task || operation === null || !this.#isSelected(task)) return
    if (isSubmission(entry) && task.submission !== entry) return
    if (status >= 300 && status < 400 && status !== 304) return
    const progress = this.#tasks.get(task.id) ?? { task: task.id, states: this.#pattern.start, last: 0 }
    this.#tasks.set(task.id, progress)
    progress.last = number
    if (progress.mismatch) return
    const states = this.#pattern.next(progress.states, wordsFor(operation, entry.role))
    if (states.size === 0) {
      progress.mismatch = { number, operation, expected: this.#pattern.expected(progress.states) }
    }
    progress.states = states
  }

  judge(): ExpectationFinding {
    const { kind } = this.#wanted
    const expected = `${this.#pattern.source}, for each ${kind === undefined ? '' : `${kind} `}task`
    if (this.#tasks.size === 0)
      return { verdict: 'not-exercised', expected, actual: 'there was no such task', requests: [] }
    const wrong = [...this.#tasks.values()].filter(
      ({ mismatch, states }) => mismatch || !this.#pattern.isWhole(states),
    )
    const [first] = wrong
    if (!first) return { verdict: 'pass', expected, actual: `true of ${this.#tasks.size}`, requests: [] }
    return {
      verdict: 'fail',
      expected,
      actual: this.#describe(first),
      requests: wrong.slice(0, maxListed).map(({ mismatch, last }) => mismatch?.number ?? last),
    }
  }

  #isSelected({ submission, kind, nth }: WatchedTask): boolean {
    const { kind: wantedKind = kind, taskNth = nth } = this.#wanted
    return submission !== undefined && kind === wantedKind && nth === taskNth
  }

  #describe({ task, mismatch, states }: Progress): string {
    const [actual, expected] = mismatch
      ? [`#${mismatch.number} is ${mismatch.operation}`, mismatch.expected]
      : ['no further request', this.#pattern.expected(states)]
    return `task ${task}: ${actual}, expected ${expected.length === 0 ? 'the end' : expected.join(' or ')}`
  }
}
