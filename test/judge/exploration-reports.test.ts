import { expect, it } from 'vitest'
import type { ClientRun } from '../../src/judge/runs/client-run.ts'
import {
  explorationColumns,
  reportExplorations,
  type ReportedExploration,
  type ReportedFinding,
} from '../../src/judge/explore/index.ts'
import { toFinding } from '../../src/judge/explore/findings.ts'
import { injections } from '../../src/judge/runs/injections.ts'
import { findPlaces } from '../../src/judge/runs/places.ts'
import { countStates, toMatrix } from '../../src/judge/explore/reports/matrix.ts'
import { describeSchedules, judgeFinding } from '../../src/judge/explore/reports/suites.ts'
import { nameSchedule, toRuleIds, type Schedule } from '../../src/judge/runs/schedules.ts'
import type { Cell } from '../../src/judge/explore/search.ts'
import { judge } from '../../src/judge/judge.ts'
import { terminalReport } from '../../src/judge/reports/terminal.ts'
import { writeReport, type ReportFormat } from '../../src/judge/reports/write-report.ts'
import { chat, content, placeOf, poll, start, Story, submit } from './entries.ts'

const story = new Story()
for (const made of [
  submit(),
  poll('queued', { atMs: 5_000 }),
  poll('SUCCESS', { atMs: 10_000 }),
  content({ sendsFile: true }),
  chat(),
])
  story.add(made)
const { entries: exchanges, operations } = story
const verdict = judge({ watch: story.watch, tasks: [], now: start + 10_000 })
const run: ClientRun = {
  ended: 'succeeded',
  reason: '',
  output: '',
  hasCrashed: false,
  result: 'a video',
  exchanges,
  operations,
  verdict,
}
const places = findPlaces(run)

function scheduleOf(...faults: readonly (readonly [id: string, place: string])[]): Schedule {
  const parts = faults.map(([id, name]) => ({
    injection: injections.find((each) => each.id === id)!,
    place: placeOf(places, (place) => place.name === name),
  }))
  return { name: nameSchedule(parts), parts }
}

const variantOf = (id: string, operation: string): Schedule => ({
  name: id,
  parts: [],
  variant: { id, operation, advice: 'Follow redirects.' },
})

const cellOf = (state: Cell['state'], schedule: Schedule): Cell => ({
  state,
  schedule,
  trace: '',
  mistakes: [],
  otherwise: state,
})

const [poll503, poll500, submit503] = [
  scheduleOf(['503', 'video.poll queued']),
  scheduleOf(['500', 'video.poll queued']),
  scheduleOf(['503', 'video.submit']),
]
const pair = scheduleOf(['503', 'video.submit'], ['429', 'video.poll done'])
const cells: readonly Cell[] = [
  cellOf('survived', variantOf('redirected downloads', 'video.content')),
  cellOf('misbehaved', variantOf('other lists', 'models.list')),
  cellOf('gave up', poll503),
  cellOf('gave up', poll500),
  cellOf('survived', submit503),
  cellOf('reported', scheduleOf(['401', 'video.submit'])),
  cellOf('resubmitted', scheduleOf(['slow 40s', 'video.submit'])),
  cellOf('not judged', scheduleOf(['slow 40s', 'video.poll done'])),
  cellOf('not reached', scheduleOf(['503', 'video.poll done'])),
  cellOf('hung', scheduleOf(['hang', 'video.content'])),
  cellOf('wrong result', scheduleOf(['corrupt', 'video.content'])),
  cellOf('paid twice', pair),
]

function findingOf(
  habit: string,
  schedules: readonly Schedule[],
  more: Partial<ReportedFinding> = {},
): ReportedFinding {
  const mistakes = schedules.map((schedule) => ({
    severity: 'gave up' as const,
    habit,
    operation: schedule.parts[0]?.place.operation ?? 'any',
    family: schedule.parts[0]?.injection.family ?? 'baseline',
    detail: `a detail of\n${schedule.name}`,
    schedule,
    trace: '+0s #1 video.submit 200',
  }))
  return { ...toFinding(mistakes), isAccepted: false, fails: true, ...more }
}

const findings: readonly ReportedFinding[] = [
  findingOf('not-retried', [poll503, poll500], {
    unrepeated: [poll500.name],
    yaml: 'name: 503 @ video.poll queued\nrules: []\n',
    file: 'greenroom-findings/503.yaml',
    reproduce: 'greenroom run greenroom-findings/503.yaml -- node client.js',
  }),
  findingOf('resubmits', [pair], {
    severity: 'paid twice',
    isAccepted: true,
    fails: false,
    yaml: 'name: a pair\n',
  }),
  findingOf('crashes', [scheduleOf(['hang', 'video.content'])], {
    severity: 'hung',
    isFlaky: true,
    fails: false,
    detail: 'x'.repeat(301),
  }),
  findingOf('fails-by-itself', [{ name: 'baseline', parts: [] }], { detail: 'y'.repeat(300) }),
]

/** The run of a finding, whose rule hit the second request. */
function repetitionOf({ schedule }: ReportedFinding, more: Partial<ClientRun> = {}): ClientRun {
  const rules = toRuleIds(schedule.parts)
  const hit = exchanges.map((entry) => (entry.number === 2 ? { ...entry, rules } : entry))
  return { ...run, exchanges: hit, ended: 'failed', reason: 'gave up', ...more }
}

const exploration: ReportedExploration = {
  title: 'node client.js',
  baseline: run,
  isComparable: false,
  sentOnlyOnce: false,
  cells,
  findings,
  repetitions: new Map([
    [findings[0]!.key, repetitionOf(findings[0]!)],
    [findings[1]!.key, repetitionOf(findings[1]!, { ended: 'succeeded', reason: '' })],
    [findings[2]!.key, repetitionOf(findings[2]!, { ended: 'hung' })],
  ]),
  left: [],
  plays: 14,
  elapsedMs: 14_000,
  score: 67,
  base: { scenario: { version: 1 }, hasComparableTexts: false, expect: {}, maxVirtualMs: 1 },
}

const early: ReportedExploration = {
  ...exploration,
  title: 'node other.js',
  isComparable: true,
  findings: [],
  cells: cells.slice(4, 5),
  plays: 3,
  left: [
    poll503,
    poll500,
    pair,
    scheduleOf(['503', 'video.content']),
    variantOf('other lists', 'models.list'),
  ],
  score: null,
}

const nothing: ReportedExploration = { ...early, cells: [], plays: 2, left: [] }

it('writes the same plain text for an exploration, for one that ended early, and for nothing', async () => {
  const text = terminalReport(reportExplorations([exploration, early, nothing]), explorationColumns)
  await expect(text).toMatchFileSnapshot('golden/exploration-terminal.golden')
})

it.each<ReportFormat>(['markdown', 'github', 'junit', 'json'])(
  'writes the same %s report for an exploration as before',
  async (format) => {
    const report = writeReport(format, reportExplorations([exploration, early]))
    await expect(report.replace(/"greenroom": "[^"]+"/, '"greenroom": "VERSION"')).toMatchFileSnapshot(
      `golden/exploration-${format}.golden`,
    )
  },
)

it('has a page with the matrix, the findings and their runs', async () => {
  const { explorations, runs } = reportExplorations([exploration, early]).pageData()
  const pageRuns = runs.map(
    ({ verdict: { name, file, reproduce, passed, results }, scenario, evidence }) => ({
      name,
      file,
      reproduce,
      passed,
      results,
      scenario,
      evidence,
    }),
  )
  await expect(`${JSON.stringify({ explorations, runs: pageRuns }, undefined, 1)}\n`).toMatchFileSnapshot(
    'golden/exploration-page.golden',
  )
})

it('passes if no finding fails it', () => {
  expect(reportExplorations([exploration]).passed).toBe(false)
  expect(reportExplorations([{ ...exploration, findings: findings.slice(1, 3) }, early]).passed).toBe(true)
  const passedOf = (each: ReportedExploration): boolean => reportExplorations([each]).suites[0]!.passed
  expect([exploration, early, { ...early, cells: [] }, nothing].map(passedOf)).toEqual([
    false,
    true,
    false,
    false,
  ])
})

it('fails for a flaky finding only if it is strict, and for no accepted one', () => {
  const failsOf = (isFlaky: boolean, isStrict: boolean, accepted: readonly string[] = []): boolean =>
    judgeFinding({ ...findings[0]!, isFlaky }, { accepted, isStrict }).fails
  expect([failsOf(false, false), failsOf(true, false), failsOf(true, true)]).toEqual([true, false, true])
  expect(failsOf(false, true, [findings[0]!.key])).toBe(false)
  expect(judgeFinding(findings[0]!, { accepted: [findings[0]!.key], isStrict: false }).isAccepted).toBe(true)
})

it('counts the states in the order of the symbols', () => {
  expect(countStates(cells)).toEqual([
    ['survived', 2],
    ['reported', 1],
    ['misbehaved', 1],
    ['gave up', 2],
    ['hung', 1],
    ['paid twice', 1],
    ['wrong result', 1],
    ['resubmitted', 1],
    ['not reached', 1],
    ['not judged', 1],
  ])
})

it('names schedules by their faults, and pairs as such', () => {
  expect(describeSchedules(early.left)).toBe('5 schedules: 503 ×2, 500, pairs, other lists')
  expect(describeSchedules([poll503])).toBe('1 schedule: 503')
})

it('has a row for each fault, and a column for each place, also of what was not tried', () => {
  expect([toMatrix(cells.slice(0, 4), [submit503])]).toEqual([
    {
      places: [
        { operation: 'video.poll', detail: 'queued', name: 'video.poll queued' },
        { operation: 'video.submit', detail: '', name: 'video.submit' },
        { operation: 'video.content', detail: '', name: 'video.content' },
        { operation: 'models.list', detail: '', name: 'models.list' },
      ],
      rows: [
        { family: 'server error', injection: '503', states: ['gave up', 'not tried', undefined, undefined] },
        { family: 'server error', injection: '500', states: ['gave up', undefined, undefined, undefined] },
        {
          family: 'other gateways',
          injection: 'redirected downloads',
          states: [undefined, undefined, 'survived', undefined],
        },
        {
          family: 'other gateways',
          injection: 'other lists',
          states: [undefined, undefined, undefined, 'misbehaved'],
        },
      ],
    },
  ])
})
