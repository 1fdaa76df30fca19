import type { Result, Verdict } from '../verdict.ts'
import { explain, suitesOf, type Judged, type Suite } from './words.ts'
import { element } from './xml.ts'

/** Real time in milliseconds that a run took; undefined where it was not measured. */
export type RealMs = (run: Verdict) => number | undefined

/**
 * A report as JUnit's XML, valid for Jenkins' junit-10.xsd: a suite for each run, a case for each expectation. What is not
 * applicable counts as skipped, and so does what is vacuous but allowed.
 */
export function junitReport(judged: Judged, realMs: RealMs = () => undefined): string {
  const suites = suitesOf(judged)
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
    // The schema has no attributes for a place.
    const place = at ? `${at.file}:${at.line}:${at.column}: ` : ''
    const failure = element('failure', { message: `${place}${explain(result)}`, type: verdict })
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
