import { toOneLine, reproduceCommands, toSuites, type Verdicts } from './text.ts'
import type { Result } from '../verdict.ts'

/** A report as TAP, version 14: a subtest for each run, a test point for each expectation. */
export function tapReport(verdicts: Verdicts): string {
  const suites = toSuites(verdicts)
  const lines = ['TAP version 14', `1..${suites.length}`]
  for (const [index, { heading, results, passed }] of suites.entries()) {
    const name = escapeName(heading)
    lines.push(`# Subtest: ${name}`, `    1..${results.length}`)
    for (const [place, result] of results.entries()) {
      lines.push(...pointOf(result, place + 1).map((line) => `    ${line}`))
    }
    lines.push(`${passed ? 'ok' : 'not ok'} ${index + 1} - ${name}`)
  }
  for (const line of reproduceCommands(verdicts)) lines.push(`# reproduce: ${toOneLine(line)}`)
  return `${lines.join('\n')}\n`
}

function pointOf(result: Result, number: number): string[] {
  const { title, verdict, fails, expected, actual, requests, at } = result
  const skip = !fails && verdict !== 'pass' ? ` # SKIP ${toOneLine(`${verdict}: ${actual}`)}` : ''
  const line = `${fails ? 'not ok' : 'ok'} ${number} - ${escapeName(title)}${skip}`
  if (!fails) return [line]
  const details = {
    verdict,
    expected,
    actual,
    requests: [...requests],
    ...(at && { at: `${at.file}:${at.line}:${at.column}` }),
  }
  // JSON is valid YAML.
  const written = Object.entries(details).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`)
  return [line, '  ---', ...written, '  ...']
}

/** A `#` would start a directive. */
const escapeName = (text: string): string => toOneLine(text).replace(/[\\#]/g, '\\$&')
