import type { JournalEntry } from '../gateway/journal.ts'
import { invariantFinding } from './expectations/checks.ts'
import { judgeInternalErrors, type InternalErrors } from './internal-errors.ts'
import type { InvariantReport } from './invariants/invariant.ts'
import { formatFaults } from './ranges.ts'
import type { OperationUsage } from './usage.ts'
import type { RunTiming } from './waits.ts'
import { runFailure, type Result, type Verdict } from './verdict.ts'
import { replayEntries, Watch } from './watch.ts'

/**
 * The behaviour of a client, without expectations. Plain JSON.
 *
 * @example
 * const run = sim.watch()
 * await client.makeVideo('a red kite')
 * const audit: Audit = run.audit()
 * audit.passed // → true
 * audit.tasks // → { submitted: 1, followedToEnd: 1, abandoned: 0 }
 */
export interface Audit {
  readonly requests: number
  /** From the first request to the last event, in virtual time. */
  readonly elapsedMs: number
  /** Whether the waits of the clients are exact: virtual time alone. */
  readonly timing: RunTiming
  /** Whether no invariant was violated, and the simulator had no internal error. */
  readonly passed: boolean
  readonly invariants: readonly InvariantReport[]
  readonly operations: readonly OperationUsage[]
  readonly tasks: {
    readonly submitted: number
    /** Those whose end a poll has returned. */
    readonly followedToEnd: number
    /** Those without a request after their submission. */
    readonly abandoned: number
  }
  /** The number of tasks with downloads, of downloads, and of their results. */
  readonly downloads: {
    readonly tasks: number
    readonly times: number
    readonly complete: number
    readonly partial: number
    readonly altered: number
    /** The number of tasks of which the client now has all bytes, unaltered. */
    readonly intact: number
  }
  /** Faults that a transport could only approximate, and how often. */
  readonly approximated: Readonly<Record<string, number>>
  /** The first few requests that no operation matches. */
  readonly unmatched: readonly { readonly number: number; readonly method: string; readonly path: string }[]
  /** The requests that got a 500 because the simulator failed on them. They fail the audit. */
  readonly internalErrors: InternalErrors
}

/** Sums up what a watch has counted so far. */
export function audit(watch: Watch): Audit {
  const invariants = watch.invariants()
  const tasks = watch.tasks.all().filter(({ submission }) => submission !== undefined)
  const downloads = watch.tasks.downloads()
  const sum = (key: 'times' | 'complete' | 'partial' | 'altered'): number =>
    downloads.reduce((total, download) => total + download[key], 0)
  return {
    requests: watch.exchanges,
    elapsedMs: (watch.lastAt ?? 0) - (watch.firstAt ?? 0),
    timing: watch.timing,
    passed: watch.internalErrors.count === 0 && invariants.every(({ verdict }) => verdict !== 'fail'),
    invariants,
    operations: watch.usage.operations(),
    tasks: {
      submitted: tasks.length,
      followedToEnd: tasks.filter(({ endKnownBy, hasEnded }) => endKnownBy.size > 0 || hasEnded).length,
      abandoned: tasks.filter(({ uses }) => uses === 0).length,
    },
    downloads: {
      tasks: downloads.length,
      times: sum('times'),
      complete: sum('complete'),
      partial: sum('partial'),
      altered: sum('altered'),
      intact: downloads.filter(({ isIntact }) => isIntact).length,
    },
    approximated: Object.fromEntries(watch.approximated),
    unmatched: [...watch.unmatched.first],
    internalErrors: { ...watch.internalErrors, first: [...watch.internalErrors.first] },
  }
}

/** Sums up journal entries, such as those of a recording. */
export function auditEntries(entries: Iterable<JournalEntry>): Audit {
  const watch = new Watch()
  replayEntries(entries, watch)
  return audit(watch)
}

/** What a strict audit also fails for, by the words of `--allow`. */
export const auditAllowances = ['not-applicable', 'not-exercised', 'approximated', 'doubtful'] as const
export type AuditAllowance = (typeof auditAllowances)[number]

/** Why a strict audit fails. */
export interface StrictFailure {
  readonly kind: AuditAllowance
  readonly message: string
  /** The invariant; undefined for the whole run. */
  readonly name?: string
}

/** Finds what a strict audit fails for, without the kinds that are allowed. */
export function findStrictFailures(
  { invariants, approximated }: Audit,
  allowed: readonly AuditAllowance[],
): StrictFailure[] {
  const failures: StrictFailure[] = []
  for (const { name, verdict, reason = '', doubtful } of invariants) {
    if (doubtful) failures.push({ name, kind: 'doubtful', message: `${name}: ${doubtful.first.message}` })
    if (verdict === 'not-applicable')
      failures.push({ name, kind: verdict, message: `${name} is not applicable: ${reason}.` })
    if (verdict === 'not-exercised')
      failures.push({ name, kind: verdict, message: `${name} was not exercised.` })
  }
  const faults = Object.entries(approximated)
  if (faults.length > 0)
    failures.push({
      kind: 'approximated',
      message: `Faults were only approximated: ${formatFaults(faults)}.`,
    })
  return failures.filter(({ kind }) => !allowed.includes(kind))
}

/** An audit as a verdict, for reports: one result for each invariant, and one for each failure of the whole run. */
export function judgeAudit(
  { requests, elapsedMs, timing, invariants, approximated, internalErrors }: Audit,
  failures: readonly StrictFailure[],
  { name, reproduce }: { readonly name: string; readonly reproduce: string | null },
): Verdict {
  const ofInvariants = invariants.map((report): Result => {
    const failure = failures.find((each) => each.name === report.name)
    const { doubtful, ...finding } = invariantFinding(report)
    const path = `always.${report.name}`
    const result = { path, title: `always: ${report.name}`, ...finding }
    if (finding.verdict === 'fail' || !failure)
      return { ...result, fails: finding.verdict === 'fail', ...(doubtful && { doubtful }) }
    const actual = { actual: failure.message, requests: doubtful?.requests ?? finding.requests }
    return { ...result, ...actual, verdict: 'fail', fails: true }
  })
  const ofRun = failures
    .filter((failure) => failure.name === undefined)
    .map(({ message: actual, kind }) => runFailure('run', { expected: `nothing was ${kind}`, actual }))
  const results = [...judgeInternalErrors(internalErrors), ...ofRun, ...ofInvariants]
  const passed = results.every(({ fails }) => !fails)
  const base = { name, file: null, seed: null, passed, results, invariants, tasks: [] }
  return { ...base, requests, elapsedMs, timing, approximated, reproduce }
}
