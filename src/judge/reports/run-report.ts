import { formatFaults, formatTotals, pluralize } from '../ranges.ts'
import type { Result, SeedsVerdict, Verdict } from '../verdict.ts'
import type { RunCollection } from './html/html.ts'
import type { Block, Case, Report, Suite } from './report.ts'
import { describeStatistics } from './statistics.ts'
import { timelineLines } from './timeline.ts'

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
    suites: groups.map((group) => toSuite(group, durationsMs)),
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

/** The results of one run, or of all runs of a file together, the likeliest cause of failures first. */
interface Group {
  readonly heading: string
  readonly file: string | null
  readonly results: readonly Result[]
  readonly passed: boolean
  readonly run?: Verdict
  readonly isOneOfMany: boolean
}

function toGroups(verdict: Verdict | SeedsVerdict): Group[] {
  if (!('runs' in verdict)) return [toGroup(verdict, false)]
  const runs = verdict.runs.map((run) => toGroup(run, true))
  const { name, file, sometimes: results } = verdict
  if (results.length === 0) return runs
  const passed = results.every(({ fails }) => !fails)
  return [...runs, { heading: `${nameRun(name, file)}, all seeds`, file, results, passed, isOneOfMany: true }]
}

function toGroup(run: Verdict, isOneOfMany: boolean): Group {
  const { name, file, seed, passed } = run
  const heading = `${nameRun(name, file)}${seed === null ? '' : `, seed ${seed}`}`
  return { heading, file, results: sortByCause(run.results), passed, run, isOneOfMany }
}

const nameRun = (name: string, file: string | null): string =>
  file === null ? name || 'run' : name === '' ? file : `${file}: ${name}`

/**
 * Sorts failures first, and among them the likeliest cause of the others: an abnormal end, then the failure with the
 * earliest request. A failure without a request, such as a missing task, is usually a consequence.
 */
function sortByCause(results: readonly Result[]): Result[] {
  const rankOf = ({ path, fails, requests }: Result): number => {
    if (!fails) return Infinity
    if (['command', 'run', 'drive'].includes(path)) return -1
    return requests.length > 0 ? Math.min(...requests) : Number.MAX_SAFE_INTEGER
  }
  return results.toSorted((one, other) => {
    const [rank, otherRank] = [rankOf(one), rankOf(other)]
    return rank === otherRank ? 0 : rank - otherRank
  })
}

function toSuite(
  { heading, file, results, passed, run, isOneOfMany }: Group,
  durationsMs: RunReportOptions['durationsMs'],
): Suite {
  const { seed = null, requests, spent = null, reproduce = null } = run ?? {}
  return {
    heading,
    passed,
    isBrief: passed && isOneOfMany,
    cases: results.map((result) => toCase(result, file)),
    before: [],
    after: run ? describeRun(run) : [],
    ...(file !== null && { file }),
    properties: {
      ...(seed !== null && { seed }),
      ...(requests !== undefined && { requests }),
      ...(spent !== null && { spent }),
      ...(reproduce !== null && { reproduce }),
    },
    durationMs: run && durationsMs?.get(run),
  }
}

function toCase(result: Result, file: string | null): Case {
  const { path, title, verdict, fails, actual, requests, hint, at, doubtful } = result
  const kind = verdict === 'fail' ? '' : `${verdict}: `
  return {
    className: `${file ?? 'greenroom'}.${path}`,
    title,
    verdict,
    status: fails ? 'failed' : verdict === 'pass' ? 'passed' : 'skipped',
    lines: [
      ...(verdict === 'pass' ? [] : [`${kind}${actual}${formatNumbers(requests)}`]),
      ...(doubtful ? [`doubtful: ${doubtful.message}${formatNumbers(doubtful.requests)}`] : []),
    ],
    hint,
    at,
  }
}

function formatNumbers(requests: readonly number[]): string {
  return requests.length === 0 ? '' : `  ${requests.map((number) => `#${number}`).join(' ')}`
}

function describeRun(run: Verdict): Block[] {
  const { passed, approximated, statistics } = run
  const faults = Object.entries(approximated)
  const timeline = passed ? [] : timelineLines(run)
  return [
    ...(faults.length > 0 ? [`approximated faults: ${formatFaults(faults)}`] : []),
    ...(timeline.length > 0 ? [{ title: 'Timeline', lines: timeline }] : []),
    formatTotals(run),
    ...(statistics ? [describeStatistics(statistics, run.invariants)] : []),
  ]
}

function countSeeds({ file, name, runs, failedSeeds }: SeedsVerdict): string {
  const passed = runs.length - failedSeeds.length
  return `${file ?? (name || 'run')}: ${passed} of ${pluralize(runs.length, 'seed')} passed`
}
