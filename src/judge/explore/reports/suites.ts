import { pluralize } from '../../../engine/pluralize.ts'
import { formatMs } from '../../ranges.ts'
import { toOneLine, type Block, type Case, type ReadReport, type Suite } from '../../reports/report.ts'
import type { Schedule } from '../schedules.ts'
import { matrixLines } from './matrix-lines.ts'
import { countStates, symbols } from './matrix.ts'
import {
  describeEarlyEnd,
  describeLeft,
  describeScore,
  describeUnrepeated,
  flakySentence,
  type ReportedExploration,
  type ReportedFinding,
} from './reported.ts'

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
    passed: !findings.some(({ fails }) => fails),
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

function describeExploration(exploration: ReportedExploration): Block[] {
  const { baseline, isComparable, cells, findings, left } = exploration
  const { exchanges, verdict } = baseline
  const requests = `${pluralize(exchanges.length, 'request')} in ${formatMs(verdict.elapsedMs)} of virtual time`
  const isSame = isComparable ? '' : '; its result is never the same and is not compared'
  const states = countStates(cells).map(([state, count]) => `${count} ${state}`)
  const found =
    cells.length === 0
      ? 'nothing was tried'
      : left.length > 0
        ? 'found nothing in what was tried'
        : 'found nothing'
  return [
    `baseline run: ${requests}${isSame}`,
    ...(cells.length + left.length > 0 ? [{ title: 'Matrix', lines: matrixLines(cells, left) }] : []),
    [describeScore(exploration), states.join(', ')].filter((part) => part !== '').join(': '),
    ...(left.length > 0 ? [`not tried (${symbols['not tried']}): ${describeLeft(left)}`] : []),
    findings.length > 0 ? `${pluralize(findings.length, 'finding')}, worst first` : found,
  ]
}

function toCase(finding: ReportedFinding, runs: number): Case {
  const { severity, sentence, advice, detail, schedule, schedules, reproduce, file, yaml, fails } = finding
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
    status: failing.length > 0 ? 'failed' : of.length > 0 || state === 'not reached' ? 'skipped' : 'passed',
    lines: of.length > 0 ? of.map(({ sentence }) => sentence) : [state],
    scenario: of.map(({ yaml = '' }) => yaml).join('\n') || undefined,
  }
}

const isBaseline = ({ parts, variant }: Schedule): boolean => parts.length === 0 && !variant

const familyOf = ({ parts, variant }: Schedule): string =>
  variant ? 'gateway variant' : parts.length > 1 ? 'pairs' : (parts[0]?.injection.family ?? 'baseline')

/** What a client printed may be long. */
const maxDetailLength = 97

const clip = (text: string): string =>
  text.length > maxDetailLength ? `${text.slice(0, maxDetailLength - 1)}…` : text
