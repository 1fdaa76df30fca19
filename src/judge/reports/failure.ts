import type { JournalEntry } from '../../gateway/journal.ts'
import type { Verdict } from '../verdict.ts'
import { maxListedNames } from '../judged.ts'
import { terminalReport } from './terminal.ts'
import { inOneLine } from './words.ts'

/**
 * What is wrong with a run, for whoever looks at a failed test: that alone, how its tasks went, and the requests that show
 * it.
 *
 * @param entries the exchanges of the run, so far as they are known.
 */
export function failureReport(verdict: Verdict, entries: readonly JournalEntry[] = []): string {
  const results = verdict.results.filter(({ fails }) => fails)
  const lines = terminalReport([{ ...verdict, results, reproduce: null }])
    .trimEnd()
    .split('\n')
  const report = lines.slice(verdict.name === '' && verdict.file === null ? 1 : 0).join('\n')
  const numbers = new Set(results.flatMap(({ requests }) => requests))
  const shown = entries.filter(({ number }) => numbers.has(number)).slice(0, maxListedNames)
  return [report, ...shown.map((entry) => `  ${lineOf(entry)}`)].join('\n')
}

function lineOf({ number, operation, method, path, status, outcome }: JournalEntry): string {
  const ended = outcome === 'completed' ? '' : ` (${outcome})`
  return `#${number} ${inOneLine(`${operation ?? 'no operation'}: ${method} ${path}`)} → ${status}${ended}`
}
