import type { JournalEntry } from '../../gateway/journal.ts'
import { formatFaults, formatMs, maxListed, pluralize } from '../ranges.ts'
import type { Result, SeedsVerdict, Verdict } from '../verdict.ts'
import { reproduceCommands, timelineText, toOneLine, toSuites, type Suite, type Verdicts } from './text.ts'

const symbols = { pass: '✓', fail: '✗', 'not-exercised': '?', 'not-applicable': '-' } as const

/** Options of the plain-text report. */
export interface TerminalOptions {
  /** Default false. */
  readonly colour?: boolean
  /** Formats a hint how to inspect a request, by its number. */
  readonly howToExplain?: (number: number) => string
}

/** Writes verdicts as plain text. Failures end with the commands that reproduce them. */
export function terminalReport(
  verdicts: Verdicts,
  { colour = false, howToExplain }: TerminalOptions = {},
): string {
  const paint = colour ? coloured : (text: string): string => text
  const suites = toSuites(verdicts)
  const lines = suites.flatMap((suite) => suiteLines(suite, paint))
  for (const verdict of verdicts) if ('runs' in verdict) lines.push(seedsLine(verdict))
  const hints = suites.flatMap(({ results }) => results.flatMap(({ hint }) => hint ?? []))
  if (hints.length > 0) lines.push('', ...[...new Set(hints)].map((hint) => `hint: ${toOneLine(hint)}`))
  const failures = suites.flatMap(({ results }) => results.filter(({ fails }) => fails))
  const [firstRequest] = failures.flatMap(({ requests }) => requests)
  if (firstRequest !== undefined && howToExplain)
    lines.push('', `hint: ${toOneLine(howToExplain(firstRequest))}`)
  const commands = reproduceCommands(verdicts)
  if (commands.length > 0) lines.push('', 'reproduce:', ...commands.map((line) => `  ${toOneLine(line)}`))
  return `${lines.join('\n')}\n`
}

function seedsLine({ file, name, runs, failedSeeds }: SeedsVerdict): string {
  const passed = runs.length - failedSeeds.length
  return toOneLine(`${file ?? (name || 'run')}: ${passed} of ${pluralize(runs.length, 'seed')} passed`)
}

type Paint = (text: string, verdict: Result['verdict']) => string

function suiteLines({ heading, results, passed, run, isOneOfMany }: Suite, paint: Paint): string[] {
  const lines = [
    paint(`${passed ? symbols.pass : symbols.fail} ${toOneLine(heading)}`, passed ? 'pass' : 'fail'),
  ]
  if (passed && isOneOfMany) return lines
  for (const result of results) lines.push(...resultLines(result, paint))
  if (!run) return lines
  const faults = Object.entries(run.approximated)
  if (faults.length > 0) lines.push(`  approximated faults: ${toOneLine(formatFaults(faults))}`)
  if (!passed)
    lines.push(
      ...timelineText(run)
        .split('\n')
        .filter(Boolean)
        .map((line) => `  ${toOneLine(line)}`),
    )
  lines.push(`  ${pluralize(run.requests, 'request')} in ${formatMs(run.elapsedMs)} of virtual time`)
  return lines
}

function resultLines(result: Result, paint: Paint): string[] {
  const { title, verdict, fails, actual, requests, at, doubtful } = result
  const colour = fails ? 'fail' : verdict
  const head = `  ${paint(`${fails ? symbols.fail : symbols[verdict]} ${toOneLine(title)}`, colour)}`
  const doubts = doubtful
    ? [`      doubtful: ${toOneLine(doubtful.message)}${formatNumbers(doubtful.requests)}`]
    : []
  if (verdict === 'pass') return [head, ...doubts]
  const kind = verdict === 'fail' ? '' : `${verdict}: `
  const position = at && fails ? [`      at ${toOneLine(at.file)}:${at.line}:${at.column}`] : []
  return [head, `      ${kind}${toOneLine(actual)}${formatNumbers(requests)}`, ...doubts, ...position]
}

function formatNumbers(requests: readonly number[]): string {
  return requests.length === 0 ? '' : `  ${requests.map((number) => `#${number}`).join(' ')}`
}

const codes = { pass: 32, fail: 31, 'not-exercised': 33, 'not-applicable': 2 } as const

function coloured(text: string, verdict: Result['verdict']): string {
  return `\u001b[${codes[verdict]}m${text}\u001b[0m`
}

/**
 * Writes what a failed test prints: the failures, the timeline of the tasks and the offending requests.
 *
 * @param entries the exchanges of the run.
 */
export function failureReport(verdict: Verdict, entries: readonly JournalEntry[] = []): string {
  const results = verdict.results.filter(({ fails }) => fails)
  const lines = terminalReport([{ ...verdict, results, reproduce: null }])
    .trimEnd()
    .split('\n')
  const report = lines.slice(verdict.name === '' && verdict.file === null ? 1 : 0).join('\n')
  const numbers = new Set(results.flatMap(({ requests }) => requests))
  const offending = entries.filter(({ number }) => numbers.has(number)).slice(0, maxListed)
  return [report, ...offending.map((entry) => `  ${formatEntry(entry)}`)].join('\n')
}

function formatEntry({ number, operation, method, path, status, outcome }: JournalEntry): string {
  const ended = outcome === 'completed' ? '' : ` (${outcome})`
  return `#${number} ${toOneLine(`${operation ?? 'no operation'}: ${method} ${path}`)} → ${status}${ended}`
}
