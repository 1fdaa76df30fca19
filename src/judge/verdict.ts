import type { InvariantReport } from './invariant.ts'
import type { Doubt, Judgement, Position } from './judged.ts'

/**
 * What a run is judged to be. Plain JSON.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const verdict: Verdict = await sim.verdict()
 * verdict.passed // → true
 * verdict.tasks[0]?.operations // → { 'video.submit': 1, 'video.content': 1, … }
 */
export interface Verdict {
  /** The scenario's name and file, and the seed of the run. */
  readonly name: string
  readonly file: string | null
  readonly seed: string | null
  /** Whether nothing fails the run. */
  readonly passed: boolean
  /**
   * One for each expectation, in the order of the file; then what is expected of every run. Before them, where the command
   * failed or the run came to no end, that.
   */
  readonly results: readonly Result[]
  /** Every invariant, whether it was expected or not. */
  readonly invariants: readonly InvariantReport[]
  /** The tasks that were made, oldest first: the first thousand of them. */
  readonly tasks: readonly JudgedTask[]
  /** How many requests there were, and how long the run took on the virtual clock. */
  readonly requests: number
  readonly elapsedMs: number
  /** Faults that a door could carry out only nearly, and how often. */
  readonly approximated: Readonly<Record<string, number>>
  /** The line that does it again; null where nobody knows it. */
  readonly reproduce: string | null
}

/**
 * What became of one expectation.
 *
 * @example
 * using run = sim.watch({ requests: [{ op: 'video.submit', count: 2 }] })
 * await client.submitVideo('a red kite')
 * const { results } = await run.verdict()
 * const { title, actual, fails }: Result = results[0]!
 * title // → 'requests: 2 × video.submit'
 * actual // → '1'
 * fails // → true
 */
export interface Result {
  /** Its path in `expect`: `requests[2]`, `always.one-key`; or `command`, `run`, where these ended badly. */
  readonly path: string
  /** What was expected, as a line of a report. */
  readonly title: string
  readonly verdict: Judgement
  /** Whether it fails the run: something vacuous does, unless it is allowed. */
  readonly fails: boolean
  /** Both in words. */
  readonly expected: string
  readonly actual: string
  /** The requests that show it, the first few. */
  readonly requests: readonly number[]
  /** What may be a mistake: it is reported, and only a strict run fails for it. */
  readonly doubtful?: Doubt
  /** How to allow what only a strict run fails for. */
  readonly hint?: string
  /** Where it stands in its file. */
  readonly at?: Position
}

/**
 * A task with what was asked about it.
 *
 * @example
 * const id = await client.submitVideo('a red kite')
 * await client.pollVideo(id)
 * const { tasks } = await sim.verdict()
 * const task: JudgedTask | undefined = tasks[0]
 * task?.operations // → { 'video.submit': 1, 'video.poll': 1 }
 */
export interface JudgedTask {
  readonly id: string
  readonly channel: string
  /** Its place among the tasks of its channel, from 1. */
  readonly nth: number
  readonly status: string
  readonly reason: string
  /** Since the first request, in milliseconds. */
  readonly submittedMs: number
  readonly endedMs: number | null
  /** Each state with the millisecond in which it began. */
  readonly states: readonly { readonly status: string; readonly fromMs: number }[]
  /** How often each operation was asked for it. */
  readonly operations: Readonly<Record<string, number>>
}
