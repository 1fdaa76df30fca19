import { inWords, many } from '../ranges.ts'
import type { Result } from '../verdict.ts'
import { timelineText } from './timeline.ts'
import { explainDoubt, inOneLine, reproductions, suitesOf, type Judged, type Suite } from './words.ts'

const marks = { pass: '✅', fail: '❌', 'not-exercised': '⚠️', 'not-applicable': '➖' } as const

/** A report in Markdown, for a pull request or the summary of a CI step. */
export function markdownReport(judged: Judged): string {
  const parts = suitesOf(judged).map(suiteText)
  const again = reproductions(judged)
  const end = again.length === 0 ? [] : ['**Reproduce**', fenced(again.map(inOneLine).join('\n'), 'sh')]
  return `${[...parts, ...end].join('\n\n')}\n`
}

function suiteText({ heading, results, passed, run, isOfSweep }: Suite): string {
  const head = `## ${passed ? marks.pass : marks.fail} ${escape(heading)}`
  // Of many runs, only what is wrong is told whole.
  if (passed && isOfSweep) return head
  const table = ['| | Expectation | Found | Requests |', '|---|---|---|---|', ...results.map(rowOf)].join(
    '\n',
  )
  const parts = [head, table]
  if (!run) return parts.join('\n\n')
  parts.push(`${many(run.requests, 'request')} in ${inWords(run.elapsedMs)} of virtual time.`)
  const nearly = Object.entries(run.approximated).map(([fault, count]) => `${fault} ×${count}`)
  if (nearly.length > 0) parts.push(`Broken only nearly as on a socket: ${escape(nearly.join(', '))}.`)
  const timeline = timelineText(run)
  if (timeline !== '') parts.push(fenced(timeline.split('\n').map(inOneLine).join('\n'), 'text'))
  return parts.join('\n\n')
}

function rowOf({ title, verdict, fails, actual, requests, at, doubtful }: Result): string {
  const place = at ? ` \`${inOneLine(at.file).replaceAll('`', "'").replaceAll('|', '\\|')}:${at.line}\`` : ''
  const mark = fails ? marks.fail : marks[verdict]
  const numbers = requests.map((number) => `\\#${number}`).join(' ')
  const found = `${verdict === 'pass' ? '' : `${verdict}: `}${actual}${doubtful ? `; ${explainDoubt(doubtful)}` : ''}`
  return `| ${mark} | ${escape(title)}${place} | ${escape(found)} | ${numbers} |`
}

/** A text in a cell or a heading, with nothing in it that Markdown or HTML would read. */
function escape(text: string): string {
  return inOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|#@~]/g, '\\$&')
}

/** A block of text as it is; its fence is longer than any in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
