import { placeText } from '../../files/error.ts'
import { toOneLine, type ReportBlock, type Case, type Report, type Suite } from './report.ts'

const marks = { passed: '✅', failed: '❌', skipped: '➖' } as const

/** A report in Markdown, for a pull request or the summary of a CI step. */
export function markdownReport({ suites, summary, reproduce }: Report): string {
  const commands = reproduce.map(toOneLine).join('\n')
  const parts = [
    ...suites.flatMap(suiteParts),
    ...summary.map((line) => `${escape(line)}.`),
    ...(reproduce.length === 0 ? [] : ['**Reproduce**', fenced(commands, 'sh')]),
  ]
  return `${parts.join('\n\n')}\n`
}

function suiteParts({ heading, passed, isBrief, cases, before, after }: Suite): string[] {
  const head = `## ${passed ? marks.passed : marks.failed} ${escape(heading)}`
  if (isBrief) return [head]
  return [
    head,
    ...before.map(blockText),
    ...(cases.length > 0 ? [cases.map(caseText).join('\n')] : []),
    ...after.map(blockText),
  ]
}

function blockText(block: ReportBlock): string {
  if (typeof block === 'string') return `${escape(block)}.`
  const { title, lines } = block
  return `<details><summary>${title}</summary>\n\n${fenced(lines.map(toOneLine).join('\n'), 'text')}\n\n</details>`
}

/** An item of a list, with everything about the case. */
function caseText({ title, verdict, status, lines, at, scenario }: Case): string {
  const mark = status === 'skipped' && verdict === 'not-exercised' ? '⚠️' : marks[status]
  const position = at ? ` (${escape(placeText(at))})` : ''
  const parts = [`${mark} **${escape(title)}**${position}`, ...lines.map(escape)]
  const code = scenario === undefined ? [] : ['', fenced(scenario.trimEnd(), 'yaml')]
  // Spaces before a line make it part of the item; a backslash before its end breaks the line.
  return `- ${[parts.join('\\\n'), ...code].join('\n').replaceAll('\n', '\n  ')}`
}

/** Escapes what Markdown or HTML would interpret in a cell or heading. */
function escape(text: string): string {
  return toOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|#@~]/g, '\\$&')
}

/** A code block; its fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const maxRun = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(maxRun + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
