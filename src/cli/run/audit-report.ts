import {
  auditAllowances,
  auditReport,
  findStrictFailures,
  judgeAudit,
  RunCollection,
  withAbnormalEnd,
  type Audit,
  type AuditAllowance,
  type CollectedRun,
  type Verdict,
} from '../../judge/index.ts'
import {
  exitCodes,
  readText,
  readTexts,
  UsageError,
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
  readonly allowed: readonly AuditAllowance[]
  readonly isJson: boolean
  /** The command line that repeats it; null without a command. */
  readonly reproduce: string | null
}

/** What was observed, and how to read what happened. */
export interface Audited {
  readonly audit: Audit
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
    allowed: readTexts(flags, 'allow').map(readAllowance),
    isJson: flags['json'] === true,
    reproduce: wrapped.length === 0 ? null : repeatLine(words, wrapped, environment),
  }
}

/**
 * Prints an audit and writes its reports.
 * @returns the exit code.
 */
export async function reportAudit(
  audited: Audited,
  request: AuditRequest,
  terminal: Terminal,
): Promise<number> {
  const { audit, readTrace, noRequests, failedEnd } = audited
  const { reports, strict, allowed, reproduce } = request
  // Without requests, an audit passes only with `--no-strict`.
  const isRefused = noRequests !== undefined && !(strict.isExplicit && !strict.isOn)
  if (noRequests !== undefined && (isRefused || reproduce !== null)) terminal.warn(`error: ${noRequests}`)
  const failures = strict.isOn && !isRefused ? findStrictFailures(audit, allowed) : []
  const judged = judgeAudit(audit, failures, { name: 'audit', reproduce })
  const verdict = withEnds(judged, isRefused ? noRequests : undefined, failedEnd)
  const runs = new RunCollection()
  if (needsTrace(reports)) runs.add({ verdict, trace: await readTrace() })
  const messages = failures.map(({ message }) => message)
  const text = isRefused ? '' : formatAudit(audit, messages, request)
  await writeReports([verdict], { reports, runs, title: 'greenroom audit', text }, terminal)
  if (failures.length > 0) {
    if (!strict.isExplicit) terminal.warn(strictnessHint)
    const kinds = auditAllowances.filter((each) => failures.some(({ kind }) => kind === each))
    terminal.warn(
      `hint: To allow this, pass ${kinds.map((kind) => `--allow ${kind}`).join(' ')}, or --no-strict.`,
    )
  }
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

function formatAudit(audit: Audit, messages: readonly string[], { isJson, strict }: AuditRequest): string {
  const passed = audit.passed && messages.length === 0
  if (isJson) return JSON.stringify({ ...audit, passed, ...(strict.isOn && { strictFailures: messages }) })
  const lines = messages.map((message) => `✗ strict: ${message}`)
  return [auditReport(audit).trimEnd(), ...(lines.length > 0 ? ['', ...lines] : [])].join('\n')
}

function readAllowance(text: string): AuditAllowance {
  const known = auditAllowances.find((kind) => kind === text)
  if (known) return known
  throw new UsageError(`--allow is "${text}": write one of ${auditAllowances.join(', ')}.`)
}
