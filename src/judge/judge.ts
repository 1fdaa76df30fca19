import { shippedOperations } from '../apis/index.ts'
import type { OperationTable } from '../engine/operations/operation-table.ts'
import { nameSendingLine } from '../engine/sending-line.ts'
import type { JournalEntry } from '../gateway/journal.ts'
import type { Position } from '../files/error.ts'
import type { RuleCount } from '../scenario/rules/rules.ts'
import { runningInvariants } from './invariants/invariants.ts'
import { toStatistics } from './audit.ts'
import type {
  CommandOutcome,
  ExpectPath,
  ExpectationFinding,
  PlacedCheck,
  RunState,
  ReportedTask,
} from './expectations/check.ts'
import { createChecks, explainAllowance, judgeEveryRun } from './expectations/checks.ts'
import type { Allowances, Expect } from '../scenario/vocabulary/types.ts'
import { findFates, findSpent, hasEnded, numberTasks } from './expectations/tasks.ts'
import { judgeInternalErrors, runFailure, type JudgedTask, type Result, type Verdict } from './verdict.ts'
import { formatFaults } from './ranges.ts'
import { replayEntries, Watch } from './watch.ts'

/** A run to judge. */
export interface Run {
  /** A watch with the same `expect`, created before the first request. */
  readonly watch: Watch
  /** The tasks of the namespace, oldest first. */
  readonly tasks: readonly ReportedTask[]
  /** How often each rule and throttle fired. */
  readonly rules?: readonly RuleCount[]
  /** The virtual instant at which the run ended. */
  readonly now: number
  readonly name?: string
  readonly file?: string
  readonly seed?: string | number
  /** Command to reproduce the run. */
  readonly reproduce?: string
  /** The end of the command; returns undefined if there was none. */
  readonly command?: () => CommandOutcome | undefined
  /** Whether results that are doubtful or not applicable fail the run. */
  readonly strict?: boolean
  /**
   * Whether there is no scenario. Then the verdict has statistics, and a strict run also fails for unexercised
   * expectations.
   */
  readonly isWithoutScenario?: boolean
  /** Finds the position of a part of `expect` in its file. */
  readonly at?: (path: ExpectPath) => Required<Position> | undefined
}

/**
 * Creates a watch that counts for expectations, from the first request on.
 *
 * @param operations those of the simulator. Default: those of the shipped APIs.
 * @throws {PatternError} {DurationError} for an invalid sequence or duration.
 */
export function createWatch(expect: Expect = {}, operations = shippedOperations): Watch {
  return new Watch(expect, createChecks(expect, operations), operations)
}

/** The expectation without a scenario: no invariant is violated. */
export const invariantsOnly: Expect = {
  always: [...runningInvariants],
  allow: { notExercised: true, unusedRules: true, unmatched: true },
}

/**
 * Judges past requests, such as those of a recording, by the invariants only.
 * @param tasks the tasks of these requests. Without them, their cost is unknown, because a failed task returns its price.
 */
export function judgeEntries(
  entries: Iterable<JournalEntry>,
  {
    tasks,
    operations,
    ...names
  }: Pick<Run, 'name' | 'seed' | 'reproduce' | 'strict'> &
    Partial<Pick<Run, 'tasks'>> & { readonly operations?: OperationTable },
): Verdict {
  const watch = createWatch(invariantsOnly, operations)
  replayEntries(entries, watch)
  const verdict = judge({ ...names, watch, tasks: [], now: watch.lastAt ?? 0, isWithoutScenario: true })
  return { ...verdict, spent: tasks ? findSpent({ watch, tasks }) : null }
}

/** The instant to which an idle clock must advance before `quiet` can be judged; null if there is none. */
export function findHorizon({ checks, tasks }: Watch): number | null {
  const instants = checks.flatMap((check) => check.horizon?.(tasks) ?? [])
  return instants.length === 0 ? null : Math.max(...instants)
}

/** Judges a run by the counts of its watch, which may continue. */
export function judge(run: Run): Verdict {
  const { watch, tasks, now, rules = [], name = '', file = null, seed = null, reproduce = null } = run
  const { expect } = watch
  const invariants = watch.invariants(findFates(run))
  const state: RunState = { now, watch, invariants, tasks, rules, command: run.command?.() }
  const results = [
    ...judgeInternalErrors(watch.internalErrors),
    ...(run.strict ? judgeApproximations(watch) : []),
    ...watch.checks.map((check) => createResult(check, check.judge(state), run)),
    ...judgeEveryRun(expect, state, run.isWithoutScenario).map(({ path, finding }) =>
      createResult({ path }, finding, run),
    ),
  ].map((result) => withPlaces(result, watch.places))
  return {
    name,
    file,
    seed: seed === null ? null : String(seed),
    passed: results.every(({ fails }) => !fails),
    results,
    invariants,
    tasks: describeTasks(tasks, watch, now),
    requests: watch.exchanges,
    elapsedMs: (watch.lastAt ?? 0) - (watch.firstAt ?? 0),
    spent: findSpent(state),
    timing: watch.timing,
    fired: [...watch.fired],
    approximated: Object.fromEntries(watch.approximated),
    ...(run.isWithoutScenario && { statistics: toStatistics(watch) }),
    reproduce,
  }
}

/** More lines of the program are not listed. */
const maxPlaces = 3

/** Names the lines of the program that sent the offending requests. */
function withPlaces(result: Result, known: ReadonlyMap<number, string>): Result {
  if (known.size === 0) return result
  const requests = [...result.requests, ...(result.doubtful?.requests ?? [])]
  const lines = [...new Set(requests.flatMap((number) => known.get(number) ?? []))].slice(0, maxPlaces)
  const all = new Set(known.values())
  const places = [...new Set(lines.map((each) => nameSendingLine(each, all)))]
  return places.length === 0 ? result : { ...result, places }
}

function createResult(
  { path, isOptional = false }: Pick<PlacedCheck, 'path' | 'isOptional'>,
  finding: ExpectationFinding,
  run: Run,
): Result {
  const { at, strict = false, isWithoutScenario = false } = run
  const { allow = {} } = run.watch.expect
  const { verdict, expected } = finding
  const position = at?.(path)
  const result: Result = {
    path: formatPath(isWithoutScenario && path[0] === 'always' ? ['always', expected] : path),
    title: `${titleOf(path)}: ${expected}`,
    ...finding,
    fails: verdict === 'fail' || (verdict === 'not-exercised' && !isOptional && !allow.notExercised),
    ...(position && { at: position }),
  }
  if (!strict) return result
  if (isWithoutScenario && verdict === 'not-exercised')
    return { ...result, fails: true, hint: allowHint('notExercised', true) }
  return judgeStrictly(result, isOptional || allow.notApplicable === true, isWithoutScenario)
}

function titleOf([part, key]: ExpectPath): string {
  if (part !== 'allow') return String(part)
  return key === 'unmatched' ? 'unmatched requests' : 'abandoned tasks'
}

/** Formats a path: `requests[2]`, `rules.storm`. */
function formatPath(path: ExpectPath): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1)
}

const allowHint = (key: keyof Allowances, isWithoutScenario = false): string =>
  `${explainAllowance(key, isWithoutScenario)}, or pass --no-strict.`

/** Fails a doubtful result, and one that is not applicable. Except `sometimes`, which needs several runs. */
function judgeStrictly(result: Result, canBeUnjudged: boolean, isWithoutScenario: boolean): Result {
  const { path, verdict, fails, doubtful } = result
  if (verdict === 'not-applicable' && !path.startsWith('sometimes[') && !canBeUnjudged) {
    const hint = path.startsWith('command')
      ? 'To judge a command, put it after "--".'
      : 'To judge waits, let the client sleep on the clock, or pass --clock real.'
    return { ...result, fails: true, hint: `${hint} ${allowHint('notApplicable', isWithoutScenario)}` }
  }
  if (!doubtful || fails) return result
  const { doubtful: _doubtful, ...rest } = result
  const { message: actual, requests } = doubtful
  return { ...rest, verdict: 'fail', fails: true, actual, requests, hint: 'To allow it, pass --no-strict.' }
}

function judgeApproximations({ expect: { allow = {} }, approximated }: Watch): Result[] {
  if (approximated.size === 0 || allow.approximated) return []
  return [
    runFailure('run', {
      expected: 'every fault is carried out exactly',
      actual: `approximated: ${formatFaults(approximated)}`,
      hint: allowHint('approximated'),
    }),
  ]
}

/** The maximum number of tasks in a verdict. */
const maxTasks = 1_000

function describeTasks(tasks: readonly ReportedTask[], watch: Watch, now: number): JudgedTask[] {
  const start = watch.firstAt ?? 0
  return numberTasks(tasks)
    .slice(0, maxTasks)
    .map(({ task, kind, nth }) => ({
      id: task.id,
      kind,
      nth,
      status: task.status,
      reason: task.reason,
      submittedMs: task.submittedAt - start,
      endedMs: hasEnded(task) ? task.finishedAt - start : null,
      states: task.timeline
        .filter(({ from }) => from <= now)
        .map(({ status, from }) => ({ status, fromMs: from - start })),
      operations: Object.fromEntries(watch.tasks.find(task.id)?.counts ?? []),
    }))
}
