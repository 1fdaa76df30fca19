import {
  reportRuns,
  RunCollection,
  terminalReport,
  withAbnormalEnd,
  type CollectedRun,
  type Verdict,
} from '../../judge/index.ts'
import {
  exitCodes,
  readText,
  type CommandInput,
  type Environment,
  type Terminal,
} from '../terminal/command.ts'
import { needsTrace, repeatLine, writeReports } from './reports.ts'
import {
  readReports,
  readStrictness,
  strictnessHint,
  type ReportTarget,
  type Strictness,
  repeatVariables,
} from './run-flags.ts'

/** The flags of `audit` about its report, parsed. */
export interface AuditRequest {
  readonly reports: readonly ReportTarget[]
  readonly strict: Strictness
  /** The command line that repeats it; undefined without a command. */
  readonly reproduce: string | undefined
}

/** What was observed, and how to read what happened. */
export interface Audited {
  readonly verdict: Verdict
  /** Called only for an HTML report. */
  readonly readTrace: () => CollectedRun['trace'] | Promise<CollectedRun['trace']>
  /** Why there are no requests. */
  readonly noRequests?: string
  /** How the command failed. */
  readonly failedEnd?: string
}

/** @throws {UsageError} for invalid values. */
export function readAuditRequest({ flags, wrapped }: CommandInput, environment: Environment): AuditRequest {
  const strict = readStrictness(flags, environment)
  const words = ['audit', ...repeatVariables(flags), ...(strict.isOn ? ['--strict'] : [])]
  return {
    reports: readReports(flags, readText(flags, 'journal')),
    strict,
    reproduce: wrapped.length === 0 ? undefined : repeatLine(words, wrapped, environment),
  }
}

/**
 * Prints an audit and writes its reports.
 * @returns the exit code.
 */
export async function reportAudit(
  { verdict: judged, readTrace, noRequests, failedEnd }: Audited,
  { reports, strict, reproduce }: AuditRequest,
  terminal: Terminal,
): Promise<number> {
  // Without requests, an audit passes only with `--no-strict`.
  const isRefused = noRequests !== undefined && !(strict.isExplicit && !strict.isOn)
  if (noRequests !== undefined && (isRefused || reproduce !== undefined))
    terminal.warn(`error: ${noRequests}`)
  const alone = isRefused ? { ...judged, results: [] } : judged
  const verdict = withEnds(alone, isRefused ? noRequests : undefined, failedEnd)
  const runs = new RunCollection()
  if (needsTrace(reports)) runs.add({ verdict, trace: await readTrace() })
  const report = reportRuns([verdict], { title: 'greenroom audit', runs })
  await writeReports(report, { reports, text: isRefused ? '' : terminalReport(report) }, terminal)
  if (strict.isOn && !strict.isExplicit && report.hints.length > 0) terminal.warn(strictnessHint)
  if (failedEnd !== undefined) terminal.warn(`error: The command ${failedEnd}.`)
  if (isRefused) return exitCodes.noRequests
  return judged.passed ? exitCodes.ok : exitCodes.expectationFailed
}

function withEnds(verdict: Verdict, noRequests: string | undefined, failedEnd: string | undefined): Verdict {
  const judged =
    noRequests === undefined
      ? verdict
      : withAbnormalEnd(verdict, 'run', { expected: 'sends a request', actual: noRequests })
  if (failedEnd === undefined) return judged
  return withAbnormalEnd(judged, 'command', { expected: 'exits with 0', actual: failedEnd })
}
