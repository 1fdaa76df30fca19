import type { Position } from '../files/error.ts'
import type { InvariantReport } from './invariants/invariant.ts'
import type { Statistics } from './usage.ts'
import type { RunTiming } from './waits.ts'
import { isDefinitionError } from '../engine/operations/own-api.ts'

/**
 * The result of one expectation, in a word.
 *
 * @example
 * using run = sim.watch({ tasks: [{ status: 'SUCCESS' }] })
 * const { results } = await run.verdict()
 * const bad: Judgement[] = ['fail', 'not-exercised']
 * results.filter(({ verdict }) => bad.includes(verdict)).map(({ path }) => path) // → ['tasks[0]', …]
 */
export type Judgement = 'pass' | 'fail' | 'not-exercised' | 'not-applicable'

/** A possible mistake that a correct client can't avoid. */
interface Doubt {
  readonly message: string
  readonly requests: readonly number[]
}

/**
 * Result of one expectation.
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
  /** The path in `expect`, such as `requests[2]` or `always.one-key`; `command`, `run` or `drive` for an abnormal end. */
  readonly path: string
  /** The expectation, as a line of a report. */
  readonly title: string
  readonly verdict: Judgement
  /** Whether it fails the run. An unexercised expectation does, unless that is allowed. */
  readonly fails: boolean
  readonly expected: string
  readonly actual: string
  /** The numbers of the first offending requests. */
  readonly requests: readonly number[]
  /**
   * The lines of the program that sent them, such as `client.py:42`. Present for a Node or Python program with virtual timers.
   */
  readonly places?: readonly string[]
  /** A possible mistake. Only a strict run fails because of it. */
  readonly doubtful?: Doubt
  /** Advice, such as which key of a scenario allows this result. */
  readonly hint?: string
  /** The position of the expectation in its file. */
  readonly at?: Required<Position>
}

/**
 * A task with the number of requests for it.
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
  readonly kind: string
  /** Its number among the tasks of its kind, from 1. */
  readonly nth: number
  readonly status: string
  readonly reason: string
  /** Milliseconds since the first request. */
  readonly submittedMs: number
  readonly endedMs: number | null
  /** Each state with the millisecond in which it began. */
  readonly states: readonly { readonly status: string; readonly fromMs: number }[]
  /** The number of requests by operation. */
  readonly operations: Readonly<Record<string, number>>
}

/**
 * A request at which rules or throttles fired.
 *
 * @example
 * sim.next('video.poll', { respond: { status: 503 } })
 * const id = await client.submitVideo('a red kite')
 * await client.pollVideo(id).catch(() => {})
 * const { fired } = await sim.verdict()
 * const first: FiredRules | undefined = fired[0]
 * first // → { number: 2, operation: 'video.poll', nth: 1, rules: ['next-1'], status: 503, … }
 */
export interface FiredRules {
  readonly number: number
  readonly operation: string
  /** Its number among the requests of its operation, from 1. */
  readonly nth: number
  /** The ids of the rules and throttles that fired. */
  readonly rules: readonly string[]
  readonly status: number
  readonly fault: string | null
}

/**
 * Result of a run. Plain JSON.
 *
 * @example
 * await client.makeVideo('a red kite')
 * const verdict: Verdict = await sim.verdict()
 * verdict.passed // → true
 * verdict.tasks[0]?.operations // → { 'video.submit': 1, 'video.content': 1, … }
 */
export interface Verdict {
  /** The name and file of the scenario, and the seed of the run. */
  readonly name: string
  readonly file: string | null
  readonly seed: string | null
  /** Whether no result fails the run. */
  readonly passed: boolean
  /** The results: first an abnormal end, then one for each expectation in the order of the docs, then those of every run. */
  readonly results: readonly Result[]
  /** All invariants, expected or not. */
  readonly invariants: readonly InvariantReport[]
  /** The tasks, oldest first, up to 1,000. */
  readonly tasks: readonly JudgedTask[]
  /** The number of requests, and the duration of the run on the virtual clock. */
  readonly requests: number
  readonly elapsedMs: number
  /**
   * The cost of the run in dollars; null if its tasks are unknown, as in recordings of earlier versions. A failed task costs nothing; an unfinished one
   * costs its price.
   */
  readonly spent: number | null
  /** Whether the waits of the clients are exact, because only virtual time counts. */
  readonly timing: RunTiming
  /** The first 100 requests at which rules or throttles fired. */
  readonly fired: readonly FiredRules[]
  /** Faults that a transport could only approximate, and how often. */
  readonly approximated: Readonly<Record<string, number>>
  /** How the client used the gateway, if it was judged without a scenario. */
  readonly statistics?: Statistics
  /** Command to reproduce this run, or null. */
  readonly reproduce: string | null
}

/**
 * Adds the abnormal end of a run to its verdict, as the first result, because it may have caused the others.
 *
 * @param path the part that ended, as the path of the result.
 * @param words the expected end and the actual one.
 */
export function withAbnormalEnd(
  verdict: Verdict,
  path: 'command' | 'run' | 'drive' | 'test',
  { expected, actual }: { expected: string; actual: string },
): Verdict {
  return { ...verdict, passed: false, results: [runFailure(path, { expected, actual }), ...verdict.results] }
}

/** A failed result of the whole run, which no part of `expect` names. */
export function runFailure(
  path: 'command' | 'run' | 'drive' | 'test',
  words: Pick<Result, 'expected' | 'actual' | 'hint'> & Partial<Pick<Result, 'requests'>>,
): Result {
  return { path, title: `${path}: ${words.expected}`, verdict: 'fail', fails: true, requests: [], ...words }
}

/** Result of the runs of one file with several seeds. Plain JSON. */
export interface SeedsVerdict {
  readonly name: string
  readonly file: string | null
  readonly passed: boolean
  /** In the order in which they ran. */
  readonly runs: readonly Verdict[]
  /** The expectations that at least one run must meet. */
  readonly sometimes: readonly Result[]
  readonly failedSeeds: readonly string[]
}

/**
 * Judges the runs of one file together.
 *
 * @param verdicts one for each seed.
 * @throws {Error} without a verdict.
 */
export function judgeSeeds(verdicts: readonly Verdict[]): SeedsVerdict {
  const [first] = verdicts
  if (!first) throw new Error('Failed to judge several seeds: there are no runs. Give at least one seed.')
  const sometimes = first.results
    .filter(({ path }) => path.startsWith('sometimes['))
    .map((result) => judgeSometimes(result, verdicts))
  const failed = verdicts.filter(({ passed }) => !passed)
  return {
    name: first.name,
    file: first.file,
    passed: failed.length === 0 && sometimes.every(({ fails }) => !fails),
    runs: verdicts,
    sometimes,
    failedSeeds: failed.map(({ seed }) => seed ?? ''),
  }
}

function judgeSometimes(result: Result, verdicts: readonly Verdict[]): Result {
  const met = verdicts.filter(({ results }) =>
    results.some(({ path, verdict }) => path === result.path && verdict === 'pass'),
  )
  const isMet = met.length > 0
  const seeds = met.slice(0, 3).map(({ seed }) => seed)
  const actual = isMet
    ? `in ${met.length} of ${verdicts.length} runs, with seed ${seeds.join(', ')}`
    : `in none of ${verdicts.length} runs`
  return { ...result, verdict: isMet ? 'pass' : 'fail', fails: !isMet, actual, requests: [] }
}

/** The requests for which the simulator had an internal error. */
export interface InternalErrors {
  readonly count: number
  /** The first few. */
  readonly first: readonly { readonly number: number; readonly message: string }[]
}

const internalErrorHint = 'This is a bug in greenroom, or in code that you passed to it: please report it.'

/** The result that fails a run with internal errors. It can't be allowed, because every other result is doubtful. */
export function judgeInternalErrors(errors: InternalErrors): Result[] {
  if (errors.count === 0) return []
  return [
    runFailure('run', {
      expected: 'the simulator has no internal error',
      actual: formatInternalErrors(errors),
      requests: errors.first.map(({ number }) => number),
      hint: errors.first.every(({ message }) => isDefinitionError(message))
        ? 'Correct the file that defines the API.'
        : internalErrorHint,
    }),
  ]
}

/** Formats all of them as one line. */
function formatInternalErrors({ count, first }: InternalErrors): string {
  const lines = first.map(({ number, message }) => `#${number} ${message}`)
  return [...lines, ...(count > first.length ? [`and ${count - first.length} more`] : [])].join(', ')
}
