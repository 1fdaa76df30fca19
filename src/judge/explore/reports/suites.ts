import { writesText } from '../../../engine/operations/facts.ts'
import { pluralize } from '../../../engine/wording.ts'
import { formatMs } from '../../ranges.ts'
import { toOneLine, type ReportBlock, type Case, type ReadReport, type Suite } from '../../reports/report.ts'
import type { Schedule } from '../../runs/schedules.ts'
import { countStates, symbols, toMatrix, type Matrix } from './matrix.ts'
import type { Cell, Exploration } from '../search.ts'
import { isAccepted, type Finding } from '../findings.ts'

/** The width of a report for people. */
export const explorationColumns = 100

/** Describes explorations for people: a suite for each. Its cases are the findings; JUnit counts the schedules instead. */
export function describeExplorations(explorations: readonly ReportedExploration[]): ReadReport {
  const early = describeEarlyEnd(explorations)
  return {
    suites: explorations.map(toSuite),
    summary: early === undefined ? [] : [early],
    hints: [],
    reproduce: [],
  }
}

function toSuite(exploration: ReportedExploration): Suite {
  const { title, cells, findings } = exploration
  const ofBaseline = findings.filter(({ schedule }) => isBaseline(schedule))
  return {
    heading: `explore: ${title}`,
    passed: cells.length > 0 && !findings.some(({ fails }) => fails),
    isBrief: false,
    before: describeExploration(exploration),
    cases: findings.map((finding) => toCase(finding, cells.length)),
    tests: [
      ...(ofBaseline.length > 0 ? [toTest('baseline', 'baseline', 'misbehaved', ofBaseline)] : []),
      ...cells.map(({ schedule, state }) => {
        const of = findings.filter(({ schedules }) => schedules.includes(schedule.name))
        return toTest(schedule.name, familyOf(schedule), state, of)
      }),
    ],
    after: [],
    properties: {},
  }
}

function describeExploration(exploration: ReportedExploration): ReportBlock[] {
  const { baseline, base, isComparable, cells, findings, left } = exploration
  const { exchanges, verdict } = baseline
  const requests = `${pluralize(exchanges.length, 'request')} in ${formatMs(verdict.elapsedMs)} of virtual time`
  const isSame = isComparable ? '' : '; its result is never the same and is not compared'
  const unjudged = cells.filter(({ state }) => state === 'not judged').map(({ schedule }) => schedule)
  const advised = cells.flatMap(({ schedule: { variant }, state }) =>
    variant && state === 'advised' ? [`${variant.id}: ${variant.advice}`] : [],
  )
  const states = countStates(cells).map(([state, count]) => `${count} ${state}`)
  const found =
    cells.length === 0
      ? 'nothing was tried'
      : left.length > 0
        ? 'found nothing in what was tried'
        : 'found nothing'
  return [
    `baseline run: ${requests}${isSame}`,
    ...(base.hasComparableTexts && exchanges.some(writesText) ? [comparableTextsNote] : []),
    ...(cells.length + left.length > 0 ? [{ title: 'Matrix', lines: matrixLines(cells, left) }] : []),
    [describeScore(exploration), states.join(', ')].filter((part) => part !== '').join(': '),
    ...(advised.length > 0 ? [{ title: 'Advice', lines: [unreadNote, ...advised] }] : []),
    ...(left.length > 0 ? [`not tried (${symbols['not tried']}): ${describeSchedules(left)}`] : []),
    ...(unjudged.length > 0
      ? [`not judged (${symbols['not judged']}): ${describeSchedules(unjudged)}`, realTimeouts]
      : []),
    findings.length > 0 ? `${pluralize(findings.length, 'finding')}, worst first` : found,
  ]
}

const comparableTextsNote =
  'every text is a sentence with multi-byte letters, the same for equal conversations; tools are called. ' +
  'To change that, set config.text.mode in a scenario'

const unreadNote = `no finding (${symbols.advised}): it would fail with some gateways, which the documented one is not`

const realTimeouts =
  "Slow responses and endless tasks take virtual time, but the client's time-outs take real time, so those never pass; or a process waited for a program or a library that takes no part in the clock. Put them on the clock: " +
  '--virtual-timers for Node and Python, deadlines over HTTP; in a test, abort requests after the given sleep'

function toCase(finding: ReportedFinding, runs: number): Case {
  const { severity, sentence, advice, detail, place, schedule, schedules, reproduce, file, yaml, fails } =
    finding
  const known = finding.isAccepted ? ' (accepted)' : finding.isFlaky ? ' (flaky)' : ''
  const descriptions = schedule.parts.map(({ injection }) => injection.description)
  const where = isBaseline(schedule)
    ? 'in the baseline run'
    : `in ${schedules.length} of ${pluralize(runs, 'run')}; the simplest: ${schedule.name}`
  return {
    className: `explore.${familyOf(schedule)}`,
    title: `${severity.toUpperCase()}${known}: ${sentence}`,
    verdict: severity,
    status: fails ? 'failed' : 'skipped',
    lines: [
      advice,
      [`${where}.`, ...descriptions].join(' '),
      clip(toOneLine(detail)),
      ...(place === undefined ? [] : [`the request is sent at ${place}`]),
      ...finding.consequences.map(
        (each) => `then ${each.severity}: ${each.sentence} (${pluralize(each.schedules.length, 'run')})`,
      ),
      ...(finding.isFlaky ? [flakySentence] : []),
      ...describeUnrepeated(finding),
    ],
    command: reproduce,
    at: file === undefined ? undefined : { file },
    scenario: yaml,
  }
}

/** A schedule, with the findings that it shows. Accepted findings and flaky ones skip it. */
function toTest(title: string, family: string, state: string, findings: readonly ReportedFinding[]): Case {
  const failing = findings.filter(({ fails }) => fails)
  const of = failing.length > 0 ? failing : findings
  return {
    className: `explore.${family}`,
    title,
    verdict: state,
    status: failing.length > 0 ? 'failed' : of.length > 0 || state.startsWith('not ') ? 'skipped' : 'passed',
    lines: of.length > 0 ? of.map(({ sentence }) => sentence) : [state],
    scenario: of.map(({ yaml = '' }) => yaml).join('\n') || undefined,
  }
}

const isBaseline = ({ parts, variant }: Schedule): boolean => parts.length === 0 && !variant

const familyOf = ({ parts, variant }: Schedule): string =>
  variant ? 'gateway variant' : parts.length > 1 ? 'pairs' : (parts[0]?.injection.family ?? 'baseline')

/** What a client printed may be long. */
const maxDetailLength = 300

const clip = (text: string): string =>
  text.length > maxDetailLength ? `${text.slice(0, maxDetailLength - 1)}…` : text

const maxColumns = 98
const minNameColumns = 17
const minPlaceColumns = 8

/** Draws the matrix with characters, and the legend of its symbols. Places that don't fit side by side follow below. */
function matrixLines(cells: readonly Cell[], left: readonly Schedule[]): string[] {
  const matrix = toMatrix(cells, left)
  const width = Math.max(
    minPlaceColumns,
    ...matrix.places.flatMap(({ operation, detail }) => [shortOf(operation).length + 2, detail.length + 2]),
  )
  const nameColumns = Math.max(minNameColumns, ...matrix.rows.map(({ injection }) => injection.length + 1))
  const perBlock = Math.max(1, Math.floor((maxColumns - nameColumns) / width))
  const lines: string[] = []
  for (let from = 0; from < matrix.places.length; from += perBlock)
    lines.push(...blockLines(matrix, { from, to: from + perBlock, width, nameColumns }), '')
  const isListed = ([state]: [string, string]): boolean =>
    state !== 'advised' || cells.some((cell) => cell.state === state)
  const legend = Object.entries(symbols)
    .filter(isListed)
    .map(([state, symbol]) => `${symbol} ${state}`)
  return [...lines, legend.slice(0, 7).join('   '), legend.slice(7).join('   ')]
}

function blockLines(
  { places, rows }: Matrix,
  { from, to, width, nameColumns }: Readonly<Record<'from' | 'to' | 'width' | 'nameColumns', number>>,
): string[] {
  const columns = places.slice(from, to)
  const line = (name: string, texts: readonly string[]): string =>
    (name.padEnd(nameColumns) + texts.map((text) => text.padStart(width)).join('')).trimEnd()
  const operations = columns.map(({ operation }, at) =>
    columns[at - 1]?.operation === operation ? '' : shortOf(operation),
  )
  const details = columns.map(({ detail }) => detail)
  const lines = [line('', operations), line('', details)]
  const rule = nameColumns + width * columns.length
  let family = ''
  for (const row of rows) {
    const states = row.states.slice(from, to)
    if (states.every((state) => state === undefined)) continue
    if (row.family !== family) lines.push(`─ ${row.family} `.padEnd(rule, '─'))
    family = row.family
    const cells = states.map((state) => (state === undefined ? '' : symbols[state]))
    lines.push(line(row.injection, cells))
  }
  return lines
}

/** The name of an operation without that of its API. */
const shortOf = (operation: string): string => operation.slice(operation.indexOf('.') + 1)

/** A finding with what only its caller knows. */
export interface ReportedFinding extends Finding {
  readonly isAccepted: boolean
  /** Whether it fails the exploration. */
  readonly fails: boolean
  /** Its scenario, the file that contains it, and the command that plays it. */
  readonly yaml?: string
  readonly file?: string
  readonly reproduce?: string
}

export interface ReportedExploration extends Omit<Exploration, 'findings'> {
  /** The command, or the name of the client. */
  readonly title: string
  readonly findings: readonly ReportedFinding[]
}

/** Judges whether a finding fails the exploration. A strict one fails for flaky findings, too. */
export function judgeFinding(
  finding: Finding,
  { accepted, isStrict }: { accepted: readonly string[]; isStrict: boolean },
): Finding & Pick<ReportedFinding, 'isAccepted' | 'fails'> {
  const isKnown = isAccepted(finding.key, accepted)
  return { ...finding, isAccepted: isKnown, fails: !isKnown && (isStrict || !finding.isFlaky) }
}

export const flakySentence =
  'It is flaky: no run that showed it, repeated, showed it again. Only a strict exploration fails for it.'

/** Names the runs of a confirmed finding that did not show it again, in a sentence; no sentence if all did. */
function describeUnrepeated({ isFlaky, unrepeated }: Finding): string[] {
  if (isFlaky || unrepeated.length === 0) return []
  return [`${pluralize(unrepeated.length, 'run')} of it did not repeat: ${unrepeated.join(', ')}.`]
}

/** `Score 92 of 100; 105 runs`. Without a score if something was left out, and without real time, which differs in each run. */
export function describeScore({ score, cells }: ReportedExploration): string {
  const runs = pluralize(cells.length, 'run')
  return score === null ? runs : `Score ${score} of 100; ${runs}`
}

/** What was left out of how much; undefined if nothing was. */
function describeEarlyEnd(
  explorations: readonly Pick<ReportedExploration, 'cells' | 'left' | 'plays' | 'elapsedMs'>[],
): string | undefined {
  const sum = (count: (of: (typeof explorations)[number]) => number): number =>
    explorations.reduce((all, of) => all + count(of), 0)
  const left = sum((of) => of.left.length)
  if (left === 0) return undefined
  const tried = sum(({ cells }) => cells.length)
  const moreMs = (sum(({ elapsedMs }) => elapsedMs) / sum(({ plays }) => plays)) * left
  return (
    `stopped early: ${left} of ${pluralize(left + tried, 'schedule')} were not tried; ` +
    `they would take about ${formatMs(Math.ceil(moreMs / 1000) * 1000)}`
  )
}

/** `9 schedules: 429 date ×4, hang ×4, drip`. */
export function describeSchedules(left: readonly Schedule[]): string {
  const counts = new Map<string, number>()
  for (const { name, parts } of left) {
    const what = parts.length > 1 ? 'pairs' : (parts[0]?.injection.id ?? name)
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  const list = [...counts].map(([what, count]) => (count === 1 ? what : `${what} ×${count}`))
  return `${pluralize(left.length, 'schedule')}: ${list.join(', ')}`
}
