import type { JournalEntry } from '../gateway/journal.ts'
import type { InvariantReport, Violation } from './invariant.ts'
import { inWords, many, often } from './ranges.ts'
import { inOneLine } from './reports/words.ts'
import { replayEntries, Watch } from './watch.ts'

/**
 * How a client behaved, without any expectation. Plain JSON.
 *
 * @example
 * const run = sim.watch()
 * await client.makeVideo('a red kite')
 * const audit: Audit = run.audit()
 * audit.passed // → true
 * audit.tasks // → { submitted: 1, toldTheirEnd: 1, neverAskedAbout: 0 }
 */
export interface Audit {
  readonly requests: number
  /** From the first request to the last thing that happened, in virtual time. */
  readonly elapsedMs: number
  /** Whether no invariant was broken. */
  readonly passed: boolean
  readonly invariants: readonly InvariantReport[]
  readonly operations: readonly AuditedOperation[]
  readonly tasks: {
    readonly submitted: number
    /** Of how many a client was told that they have ended. */
    readonly toldTheirEnd: number
    readonly neverAskedAbout: number
  }
  /** Of how many tasks, how often, and how many of these came whole, in part, or altered. */
  readonly downloads: {
    readonly tasks: number
    readonly times: number
    readonly whole: number
    readonly partial: number
    readonly altered: number
    /** How many tasks' bytes the client has whole and unaltered. */
    readonly intact: number
  }
  /** Faults that could only be approximated, and how often. */
  readonly approximated: Readonly<Record<string, number>>
  /** The first few requests that no operation answers. */
  readonly unmatched: readonly { readonly number: number; readonly method: string; readonly path: string }[]
}

/** How often an operation was asked, and how that went. */
export interface AuditedOperation {
  readonly operation: string
  readonly requests: number
  /** How many answers had a status of each class: `2xx`, `4xx`. */
  readonly statuses: Readonly<Record<string, number>>
  /** How often the same was asked again after trouble. */
  readonly retries: number
  /** How many answers had a `Retry-After`. */
  readonly toldToWait: number
  /** How many answers broke, whatever their status promised, and how many the client left. */
  readonly broken: number
  readonly aborted: number
  /** Between two looks at the same; null where none was seen. */
  readonly intervalsMs: { readonly min: number; readonly median: number; readonly max: number } | null
}

/** Sums up what a watch has seen by now. */
export function audit(watch: Watch): Audit {
  const invariants = watch.invariants()
  const tasks = watch.tasks.all().filter(({ submission }) => submission !== undefined)
  const downloads = watch.downloads.all()
  const sum = (part: 'times' | 'whole' | 'partial' | 'altered'): number =>
    downloads.reduce((total, download) => total + download[part], 0)
  return {
    requests: watch.exchanges,
    elapsedMs: (watch.lastAt ?? 0) - (watch.firstAt ?? 0),
    passed: invariants.every(({ verdict }) => verdict !== 'fail'),
    invariants,
    operations: watch.usage.operations().map((usage) => ({
      operation: usage.operation,
      requests: usage.requests,
      statuses: Object.fromEntries([...usage.statuses].toSorted()),
      retries: usage.retries,
      toldToWait: usage.toldToWait,
      broken: usage.broken,
      aborted: usage.aborted,
      intervalsMs: usage.intervals.summary(),
    })),
    tasks: {
      submitted: tasks.length,
      toldTheirEnd: tasks.filter(({ told, hasEnded }) => told.size > 0 || hasEnded).length,
      neverAskedAbout: tasks.filter(({ uses }) => uses === 0).length,
    },
    downloads: {
      tasks: downloads.length,
      times: sum('times'),
      whole: sum('whole'),
      partial: sum('partial'),
      altered: sum('altered'),
      intact: downloads.filter(({ isIntact }) => isIntact).length,
    },
    approximated: Object.fromEntries(watch.approximated),
    unmatched: watch.unmatched.first,
  }
}

/** Sums up what entries of a journal tell, such as the lines of a recorded one. */
export function auditEntries(entries: Iterable<JournalEntry>): Audit {
  const watch = new Watch()
  replayEntries(entries, watch)
  return audit(watch)
}

/** An audit for people, in plain text: what was broken first, then the numbers. */
export function auditReport(audited: Audit): string {
  const { requests, elapsedMs, invariants, operations, tasks, downloads, unmatched } = audited
  const lines = [`${many(requests, 'request')} in ${inWords(elapsedMs)} of virtual time`, '']
  for (const report of invariants.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    lines.push(...invariantLines(report))
  }
  lines.push('', ...operations.flatMap(operationLines))
  if (tasks.submitted > 0) {
    lines.push(
      '',
      `tasks: ${tasks.submitted} submitted, ${tasks.toldTheirEnd} followed to the end, ${tasks.neverAskedAbout} never asked about`,
    )
  }
  if (downloads.times > 0) {
    const { times, whole, partial, altered, intact } = downloads
    lines.push(
      `downloads: ${times}, of ${many(downloads.tasks, 'task')}: ${whole} whole, ${partial} in part, ${altered} altered; ${intact} intact in the end`,
    )
  }
  const nearly = Object.entries(audited.approximated).map(([fault, count]) => `${fault} ×${count}`)
  if (nearly.length > 0) lines.push(`approximated faults: ${nearly.join(', ')}`)
  for (const { number, method, path } of unmatched)
    lines.push(`no operation: #${number} ${method} ${inOneLine(path)}`)
  return `${lines.join('\n')}\n`
}

const signs = { fail: '✗', pass: '✓', 'not-applicable': '-', 'not-exercised': '-' } as const

const rankOf = ({ verdict }: InvariantReport): number => Object.keys(signs).indexOf(verdict)

function invariantLines(report: InvariantReport): string[] {
  const { name, means, verdict, exercised, violations, first, reason, doubtful } = report
  const doubts = doubtful ? [`    doubtful: ${violationText(doubtful.first, doubtful.count)}`] : []
  if (!first) {
    const end = reason === undefined ? `kept, tested ${often(exercised)}` : `${verdict}: ${reason}`
    return [`${signs[verdict]} ${name}  ${end}`, ...doubts]
  }
  return [`${signs[verdict]} ${name}  ${means}`, `    ${violationText(first, violations)}`, ...doubts]
}

function violationText({ message, requests }: Violation, count: number): string {
  const numbers = requests.map((number) => `#${number}`).join(' ')
  return `${inOneLine(message)}  ${numbers}${count > 1 ? `, ${count} times in all` : ''}`
}

function operationLines(usage: AuditedOperation): string[] {
  const { operation, requests, statuses, retries, toldToWait, broken, aborted, intervalsMs } = usage
  const parts = [`${operation}: ${many(requests, 'request')}`]
  // What was lost on its way has no status at all.
  parts.push(
    ...Object.entries(statuses).map(([kind, count]) => `${kind === '0xx' ? 'no answer' : kind} ×${count}`),
  )
  if (retries > 0) parts.push(`asked again after trouble ${often(retries)}`)
  if (toldToWait > 0) parts.push(`told to wait ${often(toldToWait)}`)
  if (broken > 0) parts.push(`${broken} broken`)
  if (aborted > 0) parts.push(`${aborted} abandoned`)
  if (!intervalsMs) return [parts.join(', ')]
  const { min, median, max } = intervalsMs
  return [parts.join(', '), `    intervals ${inWords(min)} to ${inWords(max)}, median ${inWords(median)}`]
}
