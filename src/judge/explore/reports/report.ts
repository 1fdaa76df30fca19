import { type Report, toOneLine } from '../../reports/report.ts'
import {
  type ReportedExploration,
  describeSchedules,
  describeScore,
  type ReportedFinding,
  describeExplorations,
} from './suites.ts'
import { RunCollection } from '../../reports/html/html.ts'
import type {
  ExplorationCell,
  ExplorationData,
  ExplorationFinding,
  ReportData,
} from '../../reports/html/report-data.ts'
import { withAbnormalEnd, type Result, type Verdict } from '../../verdict.ts'
import type { ClientRun } from '../../runs/client-run.ts'
import { toRuleIds, type Schedule } from '../../runs/schedules.ts'
import { symbols, toMatrix } from './matrix.ts'

/** Reports explorations in any format. */
export function reportExplorations(explorations: readonly ReportedExploration[]): Report {
  return {
    ...describeExplorations(explorations),
    title: 'greenroom explore',
    passed: explorations.every(({ findings }) => !findings.some(({ fails }) => fails)),
    json: { explorations: explorations.map(toJson) },
    pageData: () => toPageData(explorations),
  }
}

function toJson({ title, score, left, cells, findings }: ReportedExploration): Record<string, unknown> {
  return {
    title,
    score,
    runs: cells.length,
    // The fields that help to mend a mistake come first; the others are lists.
    findings: findings.map((finding) => ({
      severity: finding.severity,
      sentence: finding.sentence,
      advice: finding.advice,
      ...(finding.place !== undefined && { place: finding.place }),
      smallest: finding.schedule.name,
      cause: describeCause(finding.schedule),
      detail: finding.detail,
      ...(finding.file !== undefined && { file: finding.file }),
      ...(finding.reproduce !== undefined && { reproduce: finding.reproduce }),
      accepted: finding.isAccepted,
      flaky: finding.isFlaky,
      key: finding.key,
      habit: finding.habit,
      operations: finding.operations,
      families: finding.families,
      schedules: finding.schedules,
      unrepeated: finding.unrepeated,
      consequences: finding.consequences,
    })),
    notTried: left.map(({ name }) => name),
    advised: cells.flatMap(({ schedule: { variant }, state }) =>
      variant && state === 'advised' ? [{ gateway: variant.id, advice: variant.advice }] : [],
    ),
    cells: cells.map(({ schedule, state }) => ({ schedule: schedule.name, state })),
  }
}

/** What the gateway did in a run, as sentences. */
function describeCause({ name, parts, variant }: Schedule): string {
  if (variant) return `The gateway differs: ${name}.`
  if (parts.length === 0) return 'Nothing: it is the run without a fault.'
  return parts.map(({ injection }) => injection.description).join(' ')
}

const goodStates: readonly string[] = ['survived', 'reported', 'resubmitted', 'advised']

/** The content of a page with the matrix, and the run of each finding on its time axis. */
function toPageData(explorations: readonly ReportedExploration[]): ReportData {
  const runs = new RunCollection()
  let count = 0
  const add = (run: Parameters<RunCollection['add']>[0]): number => {
    runs.add(run)
    return count++
  }
  const data = explorations.map((exploration): ExplorationData => {
    const findings = exploration.findings.map((finding): ExplorationFinding => {
      const { severity, sentence, advice, detail, schedule, schedules, isAccepted, isFlaky } = finding
      const run = exploration.repetitions.get(finding.key)
      return {
        severity,
        sentence,
        advice,
        detail: toOneLine(detail),
        schedule: schedule.name,
        count: schedules.length,
        remark: isFlaky ? 'flaky' : isAccepted ? 'accepted' : null,
        run: run
          ? add({ verdict: toVerdict(finding, run), trace: run.trace, scenario: scenarioOf(finding) })
          : null,
      }
    })
    const { verdict, trace } = exploration.baseline
    const baseline = add({ verdict: { ...verdict, name: 'baseline run' }, trace })
    return { ...toTable(exploration), findings, baseline }
  })
  return { ...runs.toData('greenroom explore'), explorations: data }
}

const scenarioOf = ({ file, yaml }: ReportedFinding): { file: string; text: string }[] =>
  yaml === undefined ? [] : [{ file: file ?? 'scenario', text: yaml }]

/** The verdict of the run of a finding, which names the requests that something was injected into. */
function toVerdict(finding: ReportedFinding, run: ClientRun): Verdict {
  const { schedule, detail, file, reproduce, isFlaky } = finding
  const expected = {
    hung: 'completes',
    endless: 'completes',
    failed: 'succeeds',
    succeeded: 'reports a failure',
  }
  const { verdict } = run
  const judged =
    verdict.passed && !isFlaky
      ? withAbnormalEnd(verdict, 'run', { expected: expected[run.ended], actual: run.reason || detail })
      : verdict
  const results = [...judged.results, ...injectedResult(schedule, run)]
  return { ...judged, results, name: schedule.name, file: file ?? null, reproduce: reproduce ?? null }
}

function injectedResult(schedule: Schedule, { exchanges }: ClientRun): Result[] {
  const ids = toRuleIds(schedule.parts)
  const requests = exchanges
    .filter(({ rules }) => rules.some((rule) => ids.includes(rule)))
    .map(({ number }) => number)
  if (requests.length === 0) return []
  const message = `injected: ${schedule.name}`
  return [
    {
      path: 'injected',
      title: message,
      verdict: 'pass',
      fails: false,
      expected: '',
      actual: '',
      requests,
      doubtful: { message, requests },
    },
  ]
}

function toTable(exploration: ReportedExploration): Omit<ExplorationData, 'findings' | 'baseline'> {
  const { title, cells, left, findings } = exploration
  const { places, rows } = toMatrix(cells, left)
  const notTried = left.length > 0 ? ` Not tried: ${describeSchedules(left)}.` : ''
  return {
    title,
    summary: `${describeScore(exploration)}.${notTried}`,
    places: places.map(({ operation, detail }) => ({ operation, detail })),
    rows: rows.map(({ family, injection, states }) => ({
      family,
      injection,
      cells: states.map((state, index): ExplorationCell | null => {
        if (state === undefined) return null
        const name = `${injection} @ ${places[index]!.name}`
        const finding = findings.findIndex(({ schedules }) => schedules.includes(name))
        const isGood = goodStates.includes(state)
        return { symbol: symbols[state], state, isGood, finding: finding < 0 ? null : finding }
      }),
    })),
    legend: Object.entries(symbols).map(([state, symbol]) => [symbol, state]),
  }
}
