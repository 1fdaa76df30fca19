import { pluralize } from '../../ranges.ts'
import { toOneLine } from '../../reports/text.ts'
import type { Schedule } from '../schedules.ts'
import type { Cell } from '../search.ts'
import { countStates, symbols, toMatrix, type Matrix } from './matrix.ts'
import {
  describeEarlyEnd,
  describeLeft,
  describeUnrepeated,
  flakySentence,
  formatSeconds,
  type ReportedExploration,
  type ReportedFinding,
} from './reported.ts'

const maxColumns = 100
const nameColumns = 17
const minPlaceColumns = 8

/** The report for people, at most 100 columns wide. Its last line says how much was not tried, if anything. */
export function explorationsText(explorations: readonly ReportedExploration[]): string {
  const early = describeEarlyEnd(explorations)
  const texts = explorations.map(explorationText)
  return [...texts, ...(early === undefined ? [] : [early])].join('\n\n')
}

function explorationText(exploration: ReportedExploration): string {
  const { title, baseline, cells, findings, left, score, isComparable } = exploration
  const requests = pluralize(baseline.exchanges.length, 'request')
  const head = `baseline run: ${requests} in ${formatSeconds(baseline.verdict.elapsedMs)} of virtual time${
    isComparable ? '' : '; its result is never the same and is not compared'
  }`
  const legend = (Object.keys(symbols) as (keyof typeof symbols)[]).map(
    (state) => `${symbols[state]} ${state}`,
  )
  const counts = countStates(cells).map(([state, count]) => `${count} ${state}`)
  const runs = pluralize(cells.length, 'run')
  return [
    `greenroom explore: ${title}`,
    head,
    '',
    ...(cells.length + left.length === 0
      ? []
      : [...matrixLines(cells, left), '', ...wrap(legend.join('   '), '   '), '']),
    ...wrap([`${runs}: ${counts[0] ?? 'nothing to explore'}`, ...counts.slice(1)].join(', '), ', '),
    ...(cells.length === 0 || score === null ? [] : [`score: ${score} of 100`]),
    ...leftLines(left),
    '',
    countFindings(exploration),
    ...findings.flatMap((finding, index) => ['', ...findingLines(finding, index, cells.length)]),
  ].join('\n')
}

function countFindings({ findings, cells, left }: ReportedExploration): string {
  if (findings.length > 0) return `${pluralize(findings.length, 'finding')}, worst first`
  if (cells.length === 0) return 'nothing was tried'
  return left.length > 0 ? 'found nothing in what was tried' : 'found nothing'
}

function findingLines(finding: ReportedFinding, index: number, runs: number): string[] {
  const { severity, sentence, advice, detail, schedule, schedules, reproduce, isAccepted } = finding
  const unrepeated = describeUnrepeated(finding)
  const where =
    schedule.parts.length === 0 && !schedule.variant
      ? 'in the baseline run'
      : `in ${schedules.length} of ${pluralize(runs, 'run')}; the simplest: ${schedule.name}`
  const known = isAccepted ? ' (accepted)' : finding.isFlaky ? ' (flaky)' : ''
  return [
    ...wrap(`${String(index + 1).padStart(2)} ${severity.toUpperCase()}${known}: ${sentence}`, ' ', 3),
    ...wrap(`   ${advice}`, ' ', 3),
    ...wrap(
      [`   ${where}.`, ...schedule.parts.map(({ injection }) => injection.description)].join(' '),
      ' ',
      3,
    ),
    `   ${clip(toOneLine(detail), maxColumns - 3)}`,
    ...(finding.isFlaky ? wrap(`   ${flakySentence}`, ' ', 3) : []),
    ...(unrepeated === undefined ? [] : wrap(`   ${unrepeated}`, ' ', 3)),
    ...(reproduce === undefined ? [] : [`   ${reproduce}`]),
  ]
}

/** What the budget or an interrupt left out. */
function leftLines(left: readonly Schedule[]): string[] {
  if (left.length === 0) return []
  return wrap(`not tried (${symbols['not tried']}): ${describeLeft(left)}`, ' ', 3)
}

/** Places that don't fit side by side follow below. */
function matrixLines(cells: readonly Cell[], left: readonly Schedule[]): string[] {
  const matrix = toMatrix(cells, left)
  const width = Math.max(
    minPlaceColumns,
    ...matrix.places.flatMap(({ operation, detail }) => [shortOf(operation).length + 2, detail.length + 2]),
  )
  const perBlock = Math.max(1, Math.floor((maxColumns - nameColumns) / width))
  const lines: string[] = []
  for (let from = 0; from < matrix.places.length; from += perBlock) {
    if (from > 0) lines.push('')
    lines.push(...blockLines(matrix, { from, to: from + perBlock, width }))
  }
  return lines
}

function blockLines(
  { places, rows }: Matrix,
  { from, to, width }: { from: number; to: number; width: number },
): string[] {
  const columns = places.slice(from, to)
  const line = (name: string, texts: readonly string[]): string =>
    (name.padEnd(nameColumns) + texts.map((text) => text.padStart(width)).join('')).trimEnd()
  const lines = [
    line(
      '',
      columns.map(({ operation }, at) =>
        columns[at - 1]?.operation === operation ? '' : shortOf(operation),
      ),
    ),
    line(
      '',
      columns.map(({ detail }) => detail),
    ),
  ]
  const rule = nameColumns + width * columns.length
  let family = ''
  for (const row of rows) {
    const states = row.states.slice(from, to)
    if (states.every((state) => state === undefined)) continue
    if (row.family !== family) lines.push(`─ ${row.family} `.padEnd(rule, '─'))
    family = row.family
    lines.push(
      line(
        row.injection,
        states.map((state) => (state === undefined ? '' : symbols[state])),
      ),
    )
  }
  return lines
}

const shortOf = (operation: string): string => operation.replace(/^(?:video|videos|mj|text|chat)\./, '')

const clip = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

/** Lines of at most 100 columns; further ones are indented. */
function wrap(text: string, separator: string, indent = 0): string[] {
  const lines: string[] = []
  for (const part of text.split(separator)) {
    const joined = lines.length === 0 ? part : lines.at(-1)! + separator + part
    if (lines.length > 0 && joined.length <= maxColumns) lines[lines.length - 1] = joined
    else lines.push(lines.length === 0 ? part : ' '.repeat(indent) + part)
  }
  return lines
}
