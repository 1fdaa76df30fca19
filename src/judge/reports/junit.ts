import type { Result, Verdict } from '../verdict.ts'
import { formatResult, toSuites, type Suite, type Verdicts } from './text.ts'

/** The duration of a run in real milliseconds; undefined if it was not measured. */
export type RealMs = (run: Verdict) => number | undefined

/**
 * A report as JUnit XML, valid for Jenkins' junit-10.xsd: a suite for each run, a case for each expectation. Results that
 * are not applicable, or not exercised but allowed, count as skipped.
 */
export function junitReport(verdicts: Verdicts, realMs: RealMs = () => undefined): string {
  const suites = toSuites(verdicts)
  const { skipped: _skipped, ...counts } = countsOf(suites.flatMap(({ results }) => results))
  const children = suites.map((suite) => suiteElement(suite, realMs))
  const root = element('testsuites', { name: 'greenroom', ...counts }, children)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function suiteElement({ heading, file, results, run }: Suite, realMs: RealMs): string {
  const cases = results.map((result) => caseElement(result, file))
  const properties = run
    ? [
        element('properties', {}, [
          ...(run.seed === null ? [] : [element('property', { name: 'seed', value: run.seed })]),
          element('property', { name: 'requests', value: run.requests }),
          ...(run.reproduce === null
            ? []
            : [element('property', { name: 'reproduce', value: run.reproduce })]),
        ]),
      ]
    : []
  const durationMs = run ? realMs(run) : undefined
  const time = durationMs === undefined ? undefined : (durationMs / 1000).toFixed(3)
  const attributes = { name: heading, ...countsOf(results), time, file: file ?? undefined }
  return element('testsuite', attributes, [...properties, ...cases])
}

function caseElement(result: Result, file: string | null): string {
  const { path, title, verdict, fails, actual, at } = result
  const attributes = { name: title, classname: `${file ?? 'greenroom'}.${path}` }
  if (fails) {
    // The schema has no attributes for a position.
    const position = at ? `${at.file}:${at.line}:${at.column}: ` : ''
    const failure = element('failure', { message: `${position}${formatResult(result)}`, type: verdict })
    return element('testcase', attributes, [failure])
  }
  if (verdict === 'pass') return element('testcase', attributes)
  return element('testcase', attributes, [element('skipped', { message: `${verdict}: ${actual}` })])
}

function countsOf(results: readonly Result[]): {
  tests: number
  failures: number
  errors: number
  skipped: number
} {
  const failures = results.filter(({ fails }) => fails).length
  const skipped = results.filter(({ fails, verdict }) => !fails && verdict !== 'pass').length
  return { tests: results.length, failures, errors: 0, skipped }
}

/** Escapes text for XML and its attributes. Characters that XML can't represent become question marks. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replace(/[&<>"'\t\n\r]/g, (character) => entities[character]!)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Attributes without a value are omitted. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  children: readonly string[] = [],
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('')
  if (children.length === 0) return `<${name}${written}/>`
  const content = children
    .join('\n')
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
  return `<${name}${written}>\n${content}\n</${name}>`
}
