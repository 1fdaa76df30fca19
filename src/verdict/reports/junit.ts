import type { Result } from '../verdict.ts'
import { explain, suitesOf, type Judged, type Suite } from './words.ts'
import { element } from './xml.ts'

/**
 * A report as JUnit's XML: a suite for each run, a case for each expectation. What is not applicable counts as skipped,
 * and so does what is vacuous but allowed.
 */
export function junitReport(judged: Judged): string {
  const suites = suitesOf(judged)
  const all = suites.flatMap(({ results }) => results)
  const root = element('testsuites', { name: 'greenroom', ...countsOf(all) }, suites.map(suiteElement))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function suiteElement({ heading, file, results, elapsedMs, run }: Suite): string {
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
  const time = (elapsedMs / 1000).toFixed(3)
  const attributes = { name: heading, ...countsOf(results), time, file: file ?? undefined }
  return element('testsuite', attributes, [...properties, ...cases])
}

function caseElement(result: Result, file: string | null): string {
  const { path, title, verdict, fails, actual, at } = result
  const attributes = {
    name: title,
    classname: `${file ?? 'greenroom'}.${path}`,
    file: at?.file ?? file ?? undefined,
    line: at?.line,
    time: '0.000',
  }
  if (fails)
    return element('testcase', attributes, [element('failure', { message: explain(result), type: verdict })])
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
