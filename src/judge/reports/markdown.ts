import { formatFaults, formatMs, pluralize } from '../ranges.ts'
import type { Result } from '../verdict.ts'
import {
  formatDoubt,
  reproduceCommands,
  timelineText,
  toOneLine,
  toSuites,
  type Suite,
  type Verdicts,
} from './text.ts'

const marks = { pass: '✅', fail: '❌', 'not-exercised': '⚠️', 'not-applicable': '➖' } as const

/** A report in Markdown, for a pull request or the summary of a CI step. */
export function markdownReport(verdicts: Verdicts): string {
  const parts = toSuites(verdicts).map(suiteText)
  const commands = reproduceCommands(verdicts)
  const end = commands.length === 0 ? [] : ['**Reproduce**', fenced(commands.map(toOneLine).join('\n'), 'sh')]
  return `${[...parts, ...end].join('\n\n')}\n`
}

function suiteText({ heading, results, passed, run, isOneOfMany }: Suite): string {
  const head = `## ${passed ? marks.pass : marks.fail} ${escape(heading)}`
  if (passed && isOneOfMany) return head
  const table = ['| | Expectation | Found | Requests |', '|---|---|---|---|', ...results.map(rowOf)].join(
    '\n',
  )
  const parts = [head, table]
  if (!run) return parts.join('\n\n')
  parts.push(`${pluralize(run.requests, 'request')} in ${formatMs(run.elapsedMs)} of virtual time.`)
  const faults = Object.entries(run.approximated)
  if (faults.length > 0) parts.push(`Approximated faults: ${escape(formatFaults(faults))}.`)
  const timeline = timelineText(run)
  if (timeline !== '') parts.push(fenced(timeline.split('\n').map(toOneLine).join('\n'), 'text'))
  return parts.join('\n\n')
}

function rowOf({ title, verdict, fails, actual, requests, at, doubtful }: Result): string {
  const position = at
    ? ` \`${toOneLine(at.file).replaceAll('`', "'").replaceAll('|', '\\|')}:${at.line}\``
    : ''
  const mark = fails ? marks.fail : marks[verdict]
  const numbers = requests.map((number) => `\\#${number}`).join(' ')
  const found = `${verdict === 'pass' ? '' : `${verdict}: `}${actual}${doubtful ? `; ${formatDoubt(doubtful)}` : ''}`
  return `| ${mark} | ${escape(title)}${position} | ${escape(found)} | ${numbers} |`
}

/** Escapes what Markdown or HTML would interpret in a cell or heading. */
export function escape(text: string): string {
  return toOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|#@~]/g, '\\$&')
}

/** A code block; its fence is longer than any in the text. */
export function fenced(text: string, language: string): string {
  const maxRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(maxRun + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
