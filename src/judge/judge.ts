import { loadPatterns } from '../scenario/rules/match/patterns.ts'
import { needsPatterns } from '../scenario/rules/match/value.ts'
import type { Expect } from './expectations/expect.ts'
import type { Position } from './judged.ts'
import { judgeArtifacts } from './expectations/artifacts.ts'
import { sentNeedsPatterns } from './folds/sent.ts'
import { judgeCommand, type CommandOutcome } from './expectations/command.ts'
import { judgeAlways } from './expectations/always.ts'
import { judgeRules, type RuleCount } from './expectations/rules.ts'
import { judgeSometimes } from './expectations/sometimes.ts'
import { judgeTask } from './expectations/tasks.ts'
import { judgedTasks, type TaskRecords } from './expectations/task-records.ts'
import { judgeUnmatched, judgeWithin } from './expectations/whole-run.ts'
import type { Finding } from './judged.ts'
import { strictResult, strictResults } from './strict.ts'
import type { Result, Verdict } from './verdict.ts'
import type { Watch } from './watch.ts'

/** What is judged. */
export interface Run {
  /** A watch that was made with the same `expect`, before the first request. */
  readonly watch: Watch
  /** The tasks of the namespace, oldest first. */
  readonly tasks: TaskRecords
  /** How often each rule and limit fired. */
  readonly rules?: readonly RuleCount[]
  /** The virtual instant at which the run ended. */
  readonly now: number
  readonly name?: string
  readonly file?: string
  readonly seed?: string | number
  /** The line that runs it again, without the seed's place being known: `greenroom run --seed 7 file.yaml -- npm test`. */
  readonly reproduce?: string
  /** The end of the command; returns undefined if there was none. */
  readonly command?: () => CommandOutcome | undefined
  /** Whether what could not be judged fails the run, too. */
  readonly strict?: boolean
  /** Where a part of `expect` stands: `['requests', 2]`. */
  readonly at?: (path: readonly (string | number)[]) => Position | undefined
}

/** Loads what judging needs: the engine of regular expressions, if an expectation has one. */
export async function prepareToJudge({
  tasks = [],
  requests = [],
  sometimes = [],
  command,
}: Expect): Promise<void> {
  const wanted = [...tasks, ...sometimes.flatMap((each) => ('task' in each ? [each.task] : []))]
  const hasPattern = wanted.some(({ reason }) => reason !== undefined && needsPatterns(reason))
  const sent = [...requests, ...sometimes.flatMap((each) => ('request' in each ? [each.request] : []))]
  if (hasPattern || sent.some(sentNeedsPatterns) || command?.stdout?.matches !== undefined)
    await loadPatterns()
}

/**
 * The instant to which an idle clock must be moved before the run is judged, so that a silence that is expected can be
 * heard; null when there is none.
 */
export function horizonOf(watch: Watch): number | null {
  const instants = watch.folds.quiet
    .map((fold) => fold.horizon({ tasks: watch.tasks }))
    .filter((instant) => instant !== undefined)
  return instants.length === 0 ? null : Math.max(...instants)
}

/**
 * Judges a run by what was expected of it. The watch may go on; what is judged is what it has seen by now. Await
 * {@link prepareToJudge} before.
 */
export function judge(run: Run): Verdict {
  const { watch, now, name = '', file = null, seed = null, reproduce = null } = run
  const { expect } = watch
  const end = watch.end(now)
  const tasks = judgedTasks(run.tasks, watch, now)
  const results: Result[] = []
  const add = (path: readonly (string | number)[], finding: Finding, mayBeVacuous = false): void => {
    results.push(resultOf(path, finding, expect, run, mayBeVacuous))
  }

  if (expect.command) {
    for (const [path, finding] of judgeCommand(expect.command, run.command?.())) add(path, finding)
  }
  for (const [index, wanted] of (expect.tasks ?? []).entries())
    add(['tasks', index], judgeTask(wanted, run.tasks))
  for (const [index, fold] of watch.folds.requests.entries()) add(['requests', index], fold.finding(end))
  for (const [index, wanted] of (expect.artifacts ?? []).entries()) {
    add(['artifacts', index], judgeArtifacts(wanted, run.tasks, watch.downloads))
  }
  for (const [index, fold] of watch.folds.sequences.entries()) {
    add(typeof expect.sequence === 'string' ? ['sequence'] : ['sequence', index], fold.finding(end))
  }
  for (const [path, finding] of judgeRules(expect, run.rules ?? [])) add(path, finding)
  for (const [index, fold] of watch.folds.quiet.entries()) add(['quiet', index], fold.finding(end))
  const reports = watch.invariants()
  for (const { path, finding, optional } of judgeAlways(expect, reports)) add(path, finding, optional)
  for (const [index, finding] of judgeSometimes(expect, run, end)) add(['sometimes', index], finding)
  if (expect.within !== undefined) add(['within'], judgeWithin(expect.within, watch))
  const unmatched = judgeUnmatched(expect, watch)
  if (unmatched) add(['allow', 'unmatched'], unmatched)
  if (run.strict) results.unshift(...strictResults(expect, watch))

  return {
    name,
    file,
    seed: seed === null ? null : String(seed),
    passed: results.every(({ fails }) => !fails),
    results,
    invariants: reports,
    tasks,
    requests: watch.exchanges,
    elapsedMs: (watch.lastAt ?? 0) - (watch.firstAt ?? 0),
    approximated: Object.fromEntries(watch.approximated),
    reproduce,
  }
}

function resultOf(
  path: readonly (string | number)[],
  finding: Finding,
  { allow = {} }: Expect,
  { at, strict = false }: Run,
  mayBeVacuous: boolean,
): Result {
  const vacuousFails = !mayBeVacuous && !allow.notExercised
  const place = at?.(path)
  const result = {
    path: pathInWords(path),
    title: `${path[0] === 'allow' ? 'unmatched requests' : path[0]}: ${finding.expected}`,
    ...finding,
    fails: finding.verdict === 'fail' || (finding.verdict === 'not-exercised' && vacuousFails),
    ...(place && { at: place }),
  }
  return strict ? strictResult(result, { mayBeUnjudged: mayBeVacuous, allow }) : result
}

function pathInWords(path: readonly (string | number)[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1)
}
