import type { JournalEntry } from '../../gateway/journal.ts'
import type { SequenceExpectation } from '../expectations/expect.ts'
import { maxListedNames, type Finding } from '../judged.ts'
import { Memory } from '../memory.ts'
import { wordsFor } from '../../engine/operations/operations.ts'
import { isSubmission } from '../operations.ts'
import type { WatchedTask } from '../watched-tasks.ts'
import type { End, Fold } from './fold.ts'
import { readPattern, type Pattern } from '../../scenario/rules/sequence-pattern.ts'

/** How far one task has come. */
interface Progress {
  readonly task: string
  states: ReadonlySet<number>
  /** The first request that didn't fit, and what would have. */
  wrong?: { readonly entry: number; readonly operation: string; readonly expected: string[] }
  last: number
}

/**
 * Follows the operations of each task. Submissions count for the task that they made, and redirects not at all: what they
 * lead to counts.
 */
export class SequenceFold implements Fold {
  readonly #wanted: SequenceExpectation
  readonly #pattern: Pattern
  readonly #tasks = new Memory<Progress>()

  /** @throws {PatternError} for a sequence that can't be read. */
  constructor(wanted: SequenceExpectation) {
    this.#wanted = wanted
    this.#pattern = readPattern(wanted.is)
  }

  admitted(entry: JournalEntry, task: WatchedTask | undefined): void {
    const { operation, status } = entry
    if (!task || operation === null || !this.#isMeant(task)) return
    if (isSubmission(operation) && task.submission !== entry) return
    if (status >= 300 && status < 400 && status !== 304) return
    const progress = this.#of(task)
    progress.last = entry.number
    if (progress.wrong) return
    const states = this.#pattern.next(progress.states, wordsFor(operation))
    if (states.size === 0) {
      const expected = this.#pattern.expected(progress.states)
      progress.wrong = { entry: entry.number, operation, expected }
    }
    progress.states = states
  }

  finding(_end: End): Finding {
    const expected = `${this.#pattern.source}, for each ${this.#wanted.channel ?? ''} task`.replace('  ', ' ')
    if (this.#tasks.size === 0)
      return { verdict: 'not-exercised', expected, actual: 'there was none', requests: [] }
    const wrong = [...this.#tasks.values()].filter(
      (progress) => progress.wrong || !this.#pattern.isWhole(progress.states),
    )
    if (wrong.length === 0) {
      return { verdict: 'pass', expected, actual: `so for ${this.#tasks.size}`, requests: [] }
    }
    return {
      verdict: 'fail',
      expected,
      actual: this.#describe(wrong[0]!),
      requests: wrong.slice(0, maxListedNames).map((progress) => progress.wrong?.entry ?? progress.last),
    }
  }

  #isMeant({ submission, channel, nth }: WatchedTask): boolean {
    const { channel: wantedChannel = channel, taskNth = nth } = this.#wanted
    return submission !== undefined && channel === wantedChannel && nth === taskNth
  }

  #of({ id }: WatchedTask): Progress {
    const known = this.#tasks.get(id)
    if (known) return known
    const progress: Progress = { task: id, states: this.#pattern.start, last: 0 }
    this.#tasks.set(id, progress)
    return progress
  }

  #describe({ task, wrong, states }: Progress): string {
    if (!wrong)
      return `no more was asked of task ${task}, where ${orEnd(this.#pattern.expected(states))} was to come`
    return `#${wrong.entry} ${wrong.operation} of task ${task}, where ${orEnd(wrong.expected)} was to come`
  }
}

const orEnd = (words: readonly string[]): string => (words.length === 0 ? 'the end' : words.join(' or '))
