import { pluralize } from '../../engine/wording.ts'
import type { SeedsVerdict, Verdict } from '../verdict.ts'
import type { RunCollection } from './html/html.ts'
import { toOneLine, type Report, type Suite, type ReportBlock } from './report.ts'
import { nameRun, toGroup, toSuite, type Group } from './run-suite.ts'
import type { InvariantReport } from '../invariants/invariant.ts'
import { formatFaults, formatMs } from '../ranges.ts'
import type { OperationUsage, Statistics } from '../usage.ts'

/** The verdicts of a report, in the order in which the runs ran. */
export type Verdicts = readonly (Verdict | SeedsVerdict)[]

/** What the verdicts alone don't contain. */
export interface RunReportOptions {
  /** The command; default `greenroom run`. */
  readonly title?: string
  /** Formats a hint how to inspect a request, by its number. */
  readonly howToExplain?: (number: number) => string
  /** Real time that each run took, in milliseconds. */
  readonly durationsMs?: ReadonlyMap<Verdict, number>
  /** What happened in the runs. Only the HTML report needs it. */
  readonly runs?: RunCollection
}

/** Reports runs, with or without a scenario: a suite for each; several seeds have one more for `sometimes`. */
export function reportRuns(verdicts: Verdicts, options: RunReportOptions = {}): Report {
  const { title = 'greenroom run', howToExplain, durationsMs, runs } = options
  const groups = verdicts.flatMap(toGroups)
  const failures = groups.flatMap(({ results }) => results.filter(({ fails }) => fails))
  const [firstRequest] = failures.flatMap(({ requests }) => requests)
  const explained = firstRequest === undefined ? undefined : howToExplain?.(firstRequest)
  const hints = [...failures.map(({ hint }) => hint), explained]
  const commands = groups.map(({ passed, run }) => (passed ? undefined : run?.reproduce))
  return {
    title,
    passed: verdicts.every(({ passed }) => passed),
    suites: groups.map((group) => withMeasures(toSuite(group), group.run, durationsMs)),
    summary: verdicts.flatMap((verdict) => ('runs' in verdict ? [countSeeds(verdict)] : [])),
    hints: [...new Set(hints.filter((hint) => hint !== undefined))],
    reproduce: [...new Set(commands.filter((command) => command != null))],
    json: { verdicts },
    pageData: () => {
      if (runs) return runs.toData(title)
      throw new Error('Failed to write an HTML report: the runs were not recorded.')
    },
  }
}

function toGroups(verdict: Verdict | SeedsVerdict): Group[] {
  if (!('runs' in verdict)) return [toGroup(verdict)]
  const runs = verdict.runs.map((run) => toGroup(run, true))
  const { name, file, sometimes: results } = verdict
  if (results.length === 0) return runs
  const passed = results.every(({ fails }) => !fails)
  return [...runs, { heading: `${nameRun(name, file)}, all seeds`, file, results, passed, isOneOfMany: true }]
}

function withMeasures(
  suite: Suite,
  run: Verdict | undefined,
  durationsMs: RunReportOptions['durationsMs'],
): Suite {
  if (!run) return suite
  const { statistics, invariants } = run
  const after = statistics ? [...suite.after, describeStatistics(statistics, invariants)] : suite.after
  return { ...suite, after, durationMs: durationsMs?.get(run) }
}

function countSeeds({ file, name, runs, failedSeeds }: SeedsVerdict): string {
  const passed = runs.length - failedSeeds.length
  return `${file ?? (name || 'run')}: ${passed} of ${pluralize(runs.length, 'seed')} passed`
}

/** Says in numbers how a client used the gateway. */
function describeStatistics(
  { operations, tasks, downloads, refused, unmatched }: Statistics,
  invariants: readonly InvariantReport[],
): ReportBlock {
  const { submitted, followedToEnd, abandoned } = tasks
  const { times, complete, partial, altered, intact } = downloads
  const exercised = invariants.filter((each) => each.exercised > 0)
  const lines = operations.flatMap(describeOperation)
  if (submitted > 0)
    lines.push(
      `tasks: ${submitted} submitted, ${followedToEnd} followed to the end, ${abandoned} never polled`,
    )
  if (times > 0) {
    const parts = `${complete} complete, ${partial} partial, ${altered} altered`
    lines.push(
      `downloads: ${times} of ${pluralize(downloads.tasks, 'task')}: ${parts}; ${intact} intact at the end`,
    )
  }
  if (exercised.length > 0)
    lines.push(`exercised: ${formatFaults(exercised.map((each) => [each.name, each.exercised] as const))}`)
  for (const { number, method, path, status, reason } of refused)
    lines.push(`refused: #${number} ${method} ${path} → ${status}: ${toOneLine(reason)}`)
  for (const { number, method, path } of unmatched)
    if (!refused.some((each) => each.number === number))
      lines.push(`no operation: #${number} ${method} ${path}`)
  return { title: 'Statistics', lines }
}

function describeOperation(usage: OperationUsage): string[] {
  const { operation, requests, statuses, retries, retryAfters, broken, aborted, intervalsMs } = usage
  const parts = [`${operation}: ${pluralize(requests, 'request')}`]
  // A lost response has no status.
  for (const [statusClass, count] of Object.entries(statuses))
    parts.push(`${statusClass === '0xx' ? 'no response' : statusClass} ×${count}`)
  if (retries > 0) parts.push(`retried ×${retries}`)
  if (retryAfters > 0) parts.push(`Retry-After ×${retryAfters}`)
  if (broken > 0) parts.push(`${broken} broken`)
  if (aborted > 0) parts.push(`${aborted} aborted`)
  if (!intervalsMs) return [parts.join(', ')]
  const { min, median, max } = intervalsMs
  return [parts.join(', '), `  intervals ${formatMs(min)} to ${formatMs(max)}, median ${formatMs(median)}`]
}
