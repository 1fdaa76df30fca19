import type { Audit } from '../audit.ts'
import { formatInternalErrors, internalErrorHint } from '../internal-errors.ts'
import type { InvariantReport, Violation } from '../invariants/invariant.ts'
import { formatFaults, formatMs, formatTimes, pluralize } from '../ranges.ts'
import type { OperationUsage } from '../usage.ts'
import { toOneLine } from './text.ts'

/** Writes an audit as plain text: violations first, then the numbers. */
export function auditReport(audit: Audit): string {
  const { requests, elapsedMs, invariants, operations, tasks, downloads, unmatched, internalErrors } = audit
  const lines = [`${pluralize(requests, 'request')} in ${formatMs(elapsedMs)} of virtual time`, '']
  if (internalErrors.count > 0)
    lines.push(
      `✗ internal error  ${toOneLine(formatInternalErrors(internalErrors))}`,
      `    ${internalErrorHint}`,
    )
  for (const report of invariants.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    lines.push(...invariantLines(report))
  }
  lines.push('', ...operations.flatMap(operationLines))
  if (tasks.submitted > 0) {
    const { submitted, followedToEnd, abandoned } = tasks
    lines.push(
      '',
      `tasks: ${submitted} submitted, ${followedToEnd} followed to the end, ${abandoned} abandoned`,
    )
  }
  if (downloads.times > 0) {
    const { times, complete, partial, altered, intact } = downloads
    const parts = `${complete} complete, ${partial} partial, ${altered} altered`
    lines.push(
      `downloads: ${times} of ${pluralize(downloads.tasks, 'task')}: ${parts}; ${intact} intact at the end`,
    )
  }
  const faults = Object.entries(audit.approximated)
  if (faults.length > 0) lines.push(`approximated faults: ${formatFaults(faults)}`)
  for (const { number, method, path } of unmatched)
    lines.push(`no operation: #${number} ${method} ${toOneLine(path)}`)
  return `${lines.join('\n')}\n`
}

const symbols = { fail: '✗', pass: '✓', 'not-applicable': '-', 'not-exercised': '-' } as const

const rankOf = ({ verdict }: InvariantReport): number => Object.keys(symbols).indexOf(verdict)

function invariantLines(report: InvariantReport): string[] {
  const { name, means, verdict, exercised, violations, first, reason, doubtful } = report
  const doubts = doubtful ? [`    doubtful: ${formatViolation(doubtful.first, doubtful.count)}`] : []
  if (!first) {
    const result =
      reason === undefined ? `held, exercised ${formatTimes(exercised)}` : `${verdict}: ${reason}`
    return [`${symbols[verdict]} ${name}  ${result}`, ...doubts]
  }
  return [`${symbols[verdict]} ${name}  ${means}`, `    ${formatViolation(first, violations)}`, ...doubts]
}

function formatViolation({ message, requests }: Violation, count: number): string {
  const numbers = requests.map((number) => `#${number}`).join(' ')
  return `${toOneLine(message)}  ${numbers}${count > 1 ? `, ${count} times in total` : ''}`
}

function operationLines(usage: OperationUsage): string[] {
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
  return [parts.join(', '), `    intervals ${formatMs(min)} to ${formatMs(max)}, median ${formatMs(median)}`]
}
