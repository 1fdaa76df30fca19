import { pluralize } from '../../engine/pluralize.ts'
import type { InvariantReport } from '../invariants/invariant.ts'
import { formatFaults, formatMs } from '../ranges.ts'
import type { OperationUsage, Statistics } from '../usage.ts'
import type { Block } from './report.ts'

/** Says in numbers how a client used the gateway. */
export function describeStatistics(
  { operations, tasks, downloads, unmatched }: Statistics,
  invariants: readonly InvariantReport[],
): Block {
  const { submitted, followedToEnd, abandoned } = tasks
  const { times, complete, partial, altered, intact } = downloads
  const exercised = invariants.filter((each) => each.exercised > 0)
  const lines = operations.flatMap(describeOperation)
  if (submitted > 0)
    lines.push(`tasks: ${submitted} submitted, ${followedToEnd} followed to the end, ${abandoned} abandoned`)
  if (times > 0) {
    const parts = `${complete} complete, ${partial} partial, ${altered} altered`
    lines.push(
      `downloads: ${times} of ${pluralize(downloads.tasks, 'task')}: ${parts}; ${intact} intact at the end`,
    )
  }
  if (exercised.length > 0)
    lines.push(`exercised: ${formatFaults(exercised.map((each) => [each.name, each.exercised] as const))}`)
  for (const { number, method, path } of unmatched) lines.push(`no operation: #${number} ${method} ${path}`)
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
