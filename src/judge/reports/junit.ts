import { placeText } from '../../files/error.ts'
import { countCases, type Case, type Report, type Suite } from './report.ts'

/**
 * A report as JUnit XML, valid for Jenkins' junit-10.xsd: a case for each expectation of a run, or for each schedule of an
 * exploration. Results that are not applicable, or not exercised but allowed, count as skipped.
 */
export function junitReport({ suites }: Report): string {
  const { skipped: _notInSchema, ...counts } = countCases(suites.flatMap(testsOf))
  const root = element('testsuites', { name: 'greenroom', ...counts, errors: 0 }, suites.map(suiteElement))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

const testsOf = ({ tests, cases }: Suite): readonly Case[] => tests ?? cases

function suiteElement(suite: Suite): string {
  const { heading, properties, durationMs, file } = suite
  const written = Object.entries(properties).map(([name, value]) => element('property', { name, value }))
  const time = durationMs === undefined ? undefined : (durationMs / 1000).toFixed(3)
  return element('testsuite', { name: heading, ...countCases(testsOf(suite)), errors: 0, time, file }, [
    ...(written.length > 0 ? [element('properties', {}, written)] : []),
    ...testsOf(suite).map(caseElement),
  ])
}

function caseElement({ className, title, verdict, status, lines, hint, at, scenario }: Case): string {
  const words = [...lines, hint].filter((line) => line !== undefined).join('; ')
  // The schema has no attributes for a position.
  const message = at ? `${placeText(at)}: ${title}: ${words}` : `${title}: ${words}`
  const reasons = {
    passed: [],
    failed: [
      element('failure', { message, type: verdict }, scenario === undefined ? [] : [escapeXml(scenario)]),
    ],
    skipped: [element('skipped', { message: words })],
  }
  return element('testcase', { name: title, classname: className }, reasons[status])
}

/** Escapes text for XML and its attributes. Characters that XML can't represent become question marks. */
function escapeXml(text: string): string {
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
function element(
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
