import { breakAtWords } from '../../engine/wording.ts'
import { placeText } from '../../files/error.ts'
import { toOneLine, type ReportBlock, type Case, type ReadReport, type Suite } from './report.ts'
import type { JournalEntry } from '../../gateway/journal.ts'
import { maxListed } from '../ranges.ts'
import type { Verdict } from '../verdict.ts'
import { toGroup, toSuite } from './run-suite.ts'

/**
 * Writes a report as plain text. Failures end with the commands that reproduce them.
 * @param maxColumns wraps longer lines; default: none are wrapped.
 */
export function terminalReport(
  { suites, summary, hints, reproduce }: ReadReport,
  maxColumns = Infinity,
): string {
  const commands = reproduce.map((line) => `  ${toOneLine(line)}`)
  const lines = suites.flatMap((suite) => suiteLines(suite, maxColumns))
  if (hints.length > 0) lines.push('', ...hints.map((hint) => `hint: ${toOneLine(hint)}`))
  if (commands.length > 0) lines.push('', 'reproduce:', ...commands)
  if (summary.length > 0) lines.push('', ...summary.map(toOneLine))
  return `${lines.join('\n')}\n`
}

const symbols = { passed: '✓', failed: '✗', skipped: '-' } as const

function suiteLines({ heading, passed, isBrief, cases, before, after }: Suite, maxColumns: number): string[] {
  const head = `${passed ? symbols.passed : symbols.failed} ${toOneLine(heading)}`
  if (isBrief) return [head]
  // If there are many lines of findings, an empty line separates each from the next, and all from the text before.
  const gap = before.length > 0 ? [''] : []
  const all = cases.filter(isIdleInvariant)
  const idle = all.length > 1 ? all : []
  const listed = cases.filter((each) => !idle.includes(each))
  return [
    head,
    ...before.flatMap((block) => [...blockLines(block, maxColumns), ...gap]),
    ...listed.flatMap((each, index) => [...(index > 0 ? gap : []), ...caseLines(each, maxColumns)]),
    ...idleLines(idle, maxColumns),
    ...after.flatMap((block) => blockLines(block, maxColumns)),
  ]
}

const invariantTitle = 'always: '

/** Whether it is an invariant that no request tested, which is no failure. A run has many, so they share a line. */
const isIdleInvariant = ({ title, verdict, status }: Case): boolean =>
  status === 'skipped' && verdict === 'not-exercised' && title.startsWith(invariantTitle)

function idleLines(cases: readonly Case[], maxColumns: number): string[] {
  if (cases.length === 0) return []
  const names = cases.map(({ title }) => title.slice(invariantTitle.length)).join(', ')
  return wrap(`? ${invariantTitle}not exercised: ${names}`, 2, maxColumns, 4)
}

function blockLines(block: ReportBlock, maxColumns: number): string[] {
  if (typeof block === 'string') return wrap(block, 2, maxColumns)
  return block.lines.map((line) => `  ${toOneLine(line)}`.trimEnd())
}

function caseLines({ title, verdict, status, lines, at, command }: Case, maxColumns: number): string[] {
  const symbol = status === 'skipped' && verdict === 'not-exercised' ? '?' : symbols[status]
  const position = at?.line !== undefined && status === 'failed' ? [`at ${placeText(at)}`] : []
  return [
    ...wrap(`${symbol} ${title}`, 2, maxColumns, 4),
    ...[...lines, ...position].flatMap((line) => wrap(line, 6, maxColumns)),
    ...(command === undefined ? [] : wrap(command, 6, Infinity)),
  ]
}

/** Indents a line, and breaks one that is too long at spaces. */
function wrap(text: string, indent: number, maxColumns: number, hanging = indent): string[] {
  const lines = breakAtWords(toOneLine(text), maxColumns - hanging, maxColumns - indent)
  return lines.map((line, index) => ' '.repeat(index === 0 ? indent : hanging) + line)
}

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
