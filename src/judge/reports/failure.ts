import type { JournalEntry } from '../../gateway/journal.ts'
import { maxListed } from '../ranges.ts'
import type { Verdict } from '../verdict.ts'
import { toOneLine } from './report.ts'
import { toGroup, toSuite } from './run-suite.ts'
import { terminalReport } from './terminal.ts'

/**
 * Writes what a failed test prints: the failures, the timeline of the tasks and the offending requests.
 *
 * @param entries the exchanges of the run.
 */
export function failureReport(verdict: Verdict, entries: readonly JournalEntry[] = []): string {
  const results = verdict.results.filter(({ fails }) => fails)
  const hints = [...new Set(results.flatMap(({ hint }) => hint ?? []))]
  const suites = [toSuite(toGroup({ ...verdict, results }))]
  const lines = terminalReport({ suites, summary: [], hints, reproduce: [] }).trimEnd().split('\n')
  const report = lines.slice(verdict.name === '' && verdict.file === null ? 1 : 0).join('\n')
  const numbers = new Set(results.flatMap(({ requests }) => requests))
  const offending = entries.filter(({ number }) => numbers.has(number)).slice(0, maxListed)
  return [report, ...offending.map((entry) => `  ${formatEntry(entry)}`)].join('\n')
}

function formatEntry({ number, operation, method, path, status, outcome }: JournalEntry): string {
  const ended = outcome === 'completed' ? '' : ` (${outcome})`
  return `#${number} ${toOneLine(`${operation ?? 'no operation'}: ${method} ${path}`)} → ${status}${ended}`
}
