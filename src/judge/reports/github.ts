import { pluralize } from '../../engine/wording.ts'
import { formatDollars } from '../ranges.ts'
import type { Case, Report } from './report.ts'

/**
 * Annotations for GitHub Actions, one line each: errors for failures, at the lines of their expectations, and notices
 * for what could not be judged, and for the cost of all runs. Empty when there is nothing to say.
 *
 * @param toPath converts the path of a file into one from the root of the repository.
 */
export function githubReport({ suites, reproduce }: Report, toPath = (file: string): string => file): string {
  const annotations = suites.flatMap(({ heading, file, cases }) =>
    cases
      .filter(({ status, lines }) => status !== 'passed' || lines.length > 0)
      .map((each) => annotateCase(each, heading, file, toPath)),
  )
  const commands = reproduce.map((line) => annotation('notice', { title: 'reproduce' }, line))
  return [...annotations, ...commands, ...annotateCost(suites)].map((line) => `${line}\n`).join('')
}

function annotateCost(suites: Report['suites']): string[] {
  const costs = suites.map(({ properties: { spent = 0 } }) => Number(spent)).filter((spent) => spent > 0)
  if (costs.length === 0) return []
  const sum = Number(costs.reduce((all, spent) => all + spent, 0).toFixed(6))
  const message = `${pluralize(costs.length, 'run')} cost ${formatDollars(sum)}`
  return [annotation('notice', { title: 'cost' }, message)]
}

function annotateCase(
  { title, status, lines, hint, at, command }: Case,
  heading: string,
  suiteFile: string | undefined,
  toPath: (file: string) => string,
): string {
  const { file = suiteFile, line, column: col } = at ?? {}
  const properties = { file: file && toPath(file), line, col, title: heading }
  const message = [title, ...lines, hint, command].filter((line) => line !== undefined).join('\n')
  return annotation(status === 'failed' ? 'error' : 'notice', properties, message)
}

/** A command of the runner, one line. */
function annotation(
  kind: 'error' | 'notice',
  properties: Readonly<Record<string, string | number | undefined>>,
  message: string,
): string {
  const written = Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
    .join(',')
  return `::${kind} ${written}::${escapeData(message)}`
}

/** The runner reads these commands line by line and unescapes them. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
