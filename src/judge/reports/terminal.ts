import { inWords, many } from '../ranges.ts'
import type { SweepVerdict } from '../sweep.ts'
import type { Result } from '../verdict.ts'
import { timelineText } from './timeline.ts'
import { inOneLine, reproductions, suitesOf, type Judged, type Suite } from './words.ts'

const signs = { pass: '✓', fail: '✗', 'not-exercised': '?', 'not-applicable': '-' } as const

/** How a report is written for people. */
export interface TerminalOptions {
  /** Whether to colour it. Default false. */
  readonly colour?: boolean
  /** Says how to look at a request, by its number. */
  readonly howToExplain?: (number: number) => string
}

/** A report for people, in plain text. A failure ends with the line that does it again. */
export function terminalReport(
  judged: Judged,
  { colour = false, howToExplain }: TerminalOptions = {},
): string {
  const paint = colour ? coloured : (text: string): string => text
  const suites = suitesOf(judged)
  const lines = suites.flatMap((suite) => suiteLines(suite, paint))
  for (const verdict of judged) if ('runs' in verdict) lines.push(sweepLine(verdict))
  const hints = suites.flatMap(({ results }) => results.flatMap(({ hint }) => hint ?? []))
  if (hints.length > 0) lines.push('', ...[...new Set(hints)].map((hint) => `hint: ${inOneLine(hint)}`))
  const failures = suites.flatMap(({ results }) => results.filter(({ fails }) => fails))
  const [shown] = failures.flatMap(({ requests }) => requests)
  if (shown !== undefined && howToExplain) lines.push('', `hint: ${inOneLine(howToExplain(shown))}`)
  const again = reproductions(judged)
  if (again.length > 0) lines.push('', 'reproduce:', ...again.map((line) => `  ${inOneLine(line)}`))
  return `${lines.join('\n')}\n`
}

function sweepLine({ file, name, runs, failedSeeds }: SweepVerdict): string {
  const passed = runs.length - failedSeeds.length
  return inOneLine(`${file ?? (name || 'run')}: ${passed} of ${many(runs.length, 'seed')} passed`)
}

type Paint = (text: string, verdict: Result['verdict']) => string

function suiteLines({ heading, results, passed, run, isOfSweep }: Suite, paint: Paint): string[] {
  const lines = [paint(`${passed ? signs.pass : signs.fail} ${inOneLine(heading)}`, passed ? 'pass' : 'fail')]
  // Of many runs, only what is wrong is told whole.
  if (passed && isOfSweep) return lines
  for (const result of results) lines.push(...resultLines(result, paint))
  if (!run) return lines
  const nearly = Object.entries(run.approximated).map(([fault, count]) => `${fault} ×${count}`)
  if (nearly.length > 0) lines.push(`  broken only nearly as on a socket: ${inOneLine(nearly.join(', '))}`)
  if (!passed)
    lines.push(
      ...timelineText(run)
        .split('\n')
        .filter(Boolean)
        .map((line) => `  ${inOneLine(line)}`),
    )
  lines.push(`  ${many(run.requests, 'request')} in ${inWords(run.elapsedMs)} of virtual time`)
  return lines
}

function resultLines(result: Result, paint: Paint): string[] {
  const { title, verdict, fails, actual, requests, at, doubtful } = result
  const shown = fails ? 'fail' : verdict
  const head = `  ${paint(`${fails ? signs.fail : signs[verdict]} ${inOneLine(title)}`, shown)}`
  const doubts = doubtful
    ? [`      doubtful: ${inOneLine(doubtful.message)}${numbersText(doubtful.requests)}`]
    : []
  if (verdict === 'pass') return [head, ...doubts]
  const kind = verdict === 'fail' ? '' : `${verdict}: `
  const place = at && fails ? [`      at ${inOneLine(at.file)}:${at.line}:${at.column}`] : []
  return [head, `      ${kind}${inOneLine(actual)}${numbersText(requests)}`, ...doubts, ...place]
}

function numbersText(requests: readonly number[]): string {
  return requests.length === 0 ? '' : `  ${requests.map((number) => `#${number}`).join(' ')}`
}

const codes = { pass: 32, fail: 31, 'not-exercised': 33, 'not-applicable': 2 } as const

function coloured(text: string, verdict: Result['verdict']): string {
  return `\u001b[${codes[verdict]}m${text}\u001b[0m`
}
