import { expect, it } from 'vitest'
import { githubReport } from '../../src/judge/reports/github.ts'
import {
  countCases,
  quoteWord,
  toOneLine,
  type Case,
  type Report,
  type Suite,
} from '../../src/judge/reports/report.ts'
import { failureReport, terminalReport } from '../../src/judge/reports/terminal.ts'
import { writeReport, type ReportFormat } from '../../src/judge/reports/write-report.ts'
import { reportRuns } from '../../src/judge/reports/run-report.ts'
import { judge, invariantsOnly } from '../../src/judge/judge.ts'
import { judgeInternalErrors, judgeSeeds, withAbnormalEnd, type Verdict } from '../../src/judge/verdict.ts'
import { content, poll, start, Story, submit } from './entries.ts'

const about = { className: 'kite.yaml.always[0]', title: 'always: one-key', lines: [] }
const at = { file: 'kite.yaml', line: 3, column: 5 }
const cases: readonly Case[] = [
  { ...about, verdict: 'pass', status: 'passed' },
  { ...about, verdict: 'pass', status: 'passed', lines: ['doubtful: a <key> & a "key"'], at },
  {
    ...about,
    verdict: 'fail',
    status: 'failed',
    lines: ['one', 'two'],
    at,
    hint: 'Allow it.',
    command: 'greenroom run kite.yaml',
  },
  {
    ...about,
    verdict: 'fail',
    status: 'failed',
    at: { file: 'kite.yaml' },
    scenario: 'name: kite\nprompt: "```"\n',
  },
  { ...about, verdict: 'not-exercised', status: 'failed', lines: ['not-exercised: no request'] },
  { ...about, verdict: 'not-exercised', status: 'skipped', lines: ['not-exercised: no request'], at },
  { ...about, verdict: 'not-applicable', status: 'skipped', lines: ["not-applicable: it's unknown"] },
]
const drawing = { title: 'Timeline', lines: ['0s      40s', 'video 1 ░▒█   ', 'a\u001b[2Jb'] }
const suite: Suite = {
  heading: 'kite.yaml: a kite, seed 7',
  passed: false,
  isBrief: false,
  cases,
  before: ['the first sentence', drawing],
  after: [drawing, 'the last_sentence'],
  file: 'kite.yaml',
  properties: { seed: '7', requests: 3, spent: 0.1 },
  durationMs: 1_250,
}
const brief: Suite = {
  ...suite,
  heading: 'kite.yaml: a kite, seed 8',
  passed: true,
  isBrief: true,
  cases: [],
  properties: { spent: 0.2 },
}
const bare: Suite = {
  heading: 'run',
  passed: true,
  isBrief: false,
  cases: cases.slice(0, 1),
  before: [],
  after: [],
  properties: {},
}
const report: Report = {
  title: 'greenroom run',
  passed: false,
  suites: [suite, brief, bare],
  summary: ['kite.yaml: 1 of 2 seeds passed', 'another\nline'],
  hints: ['To see #3: greenroom explain 3'],
  reproduce: ['greenroom run --seed 7 kite.yaml', 'greenroom run --seed 8\nkite.yaml'],
  json: { verdicts: [] },
  pageData: () => ({ format: 1, greenroom: '', title: '', runs: [], omittedRuns: 0 }),
}

it('writes every kind of case as plain text', async () => {
  await expect(terminalReport(report, 60)).toMatchFileSnapshot('golden/every-case-terminal.golden')
})

it.each<ReportFormat>(['markdown', 'github', 'junit', 'json'])(
  'writes every kind of case as %s',
  async (format) => {
    const written = writeReport(format, report).replace(/"greenroom": "[^"]+"/, '"greenroom": "VERSION"')
    await expect(written).toMatchFileSnapshot(`golden/every-case-${format}.golden`)
  },
)

it('converts the paths of annotations', () => {
  const lines = githubReport({ ...report, suites: [suite], reproduce: [] }, (file) => `packages/app/${file}`)
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => line.split('::')[1])).toEqual([
    'notice file=packages/app/kite.yaml,line=3,col=5,title=kite.yaml%3A a kite%2C seed 7',
    'error file=packages/app/kite.yaml,line=3,col=5,title=kite.yaml%3A a kite%2C seed 7',
    'error file=packages/app/kite.yaml,title=kite.yaml%3A a kite%2C seed 7',
    'error file=packages/app/kite.yaml,title=kite.yaml%3A a kite%2C seed 7',
    'notice file=packages/app/kite.yaml,line=3,col=5,title=kite.yaml%3A a kite%2C seed 7',
    'notice file=packages/app/kite.yaml,title=kite.yaml%3A a kite%2C seed 7',
    'notice title=cost',
  ])
})

it('counts cases as JUnit does', () => {
  expect(countCases(cases)).toEqual({ tests: 7, failures: 3, skipped: 2 })
})

it('quotes a word for a shell if it must', () => {
  expect(['a-b/c_d.e:f=g,h@i%j+k', 'two words', "it's", '', '$HOME'].map(quoteWord)).toEqual([
    'a-b/c_d.e:f=g,h@i%j+k',
    "'two words'",
    "'it'\\''s'",
    "''",
    "'$HOME'",
  ])
})

it('replaces what could move the cursor', () => {
  expect(toOneLine('a\r\n\tb\u007fc\u009bd\u2028e\u202ef\u2066g ü')).toBe('a b c d e f g ü')
})

it('writes an HTML report only with its page', () => {
  expect(() => writeReport('html', report)).toThrow(
    'Failed to write an HTML report: its page was not passed.',
  )
  expect(() => reportRuns([]).pageData()).toThrow(
    'Failed to write an HTML report: the runs were not recorded.',
  )
})

/** A run that fails, of these texts. */
function verdictOf(
  more: Partial<Verdict> = {},
  exchanges = [submit(), poll('SUCCESS', { key: 'sk-other' })],
): Verdict {
  const story = new Story({ always: ['one-key'], allow: { abandonedTasks: true } })
  for (const made of exchanges) story.add(made)
  return {
    ...judge({ watch: story.watch, tasks: [], now: start, seed: 1, reproduce: 'greenroom run' }),
    ...more,
  }
}

it('heads a run by its file, its name and its seed', () => {
  const headings = [
    {},
    { name: 'a kite' },
    { file: 'kite.yaml' },
    { file: 'kite.yaml', name: 'a kite', seed: null },
  ]
  expect(reportRuns(headings.map((each) => verdictOf(each))).suites.map(({ heading }) => heading)).toEqual([
    'run, seed 1',
    'a kite, seed 1',
    'kite.yaml, seed 1',
    'kite.yaml: a kite',
  ])
})

it('has a suite for all seeds of a file, and a sentence that counts them', () => {
  const of = (seed: number, fired: number): Verdict => {
    const { watch } = new Story({ sometimes: [{ rule: 'storm' }], allow: { unusedRules: true } })
    const rules = [{ id: 'storm', eligible: 3, fired, optional: false }]
    return judge({
      watch,
      tasks: [],
      rules,
      now: start,
      seed,
      name: 'a kite',
      reproduce: `greenroom run --seed ${seed}`,
    })
  }
  const { suites, summary, reproduce, passed } = reportRuns([
    judgeSeeds([of(1, 0), of(2, 1), of(3, 1), of(4, 1), of(5, 1)]),
    judgeSeeds([of(1, 0), verdictOf()]),
  ])
  expect([passed, summary, reproduce]).toEqual([
    false,
    ['a kite: 5 of 5 seeds passed', 'a kite: 1 of 2 seeds passed'],
    ['greenroom run'],
  ])
  expect(suites.map(({ heading, passed: isPassed, isBrief }) => [heading, isPassed, isBrief].join())).toEqual(
    [
      'a kite, seed 1,true,true',
      'a kite, seed 2,true,true',
      'a kite, seed 3,true,true',
      'a kite, seed 4,true,true',
      'a kite, seed 5,true,true',
      'a kite, all seeds,true,true',
      'a kite, seed 1,true,true',
      'run, seed 1,false,false',
      'a kite, all seeds,false,false',
    ],
  )
  expect(
    suites.flatMap(({ cases: all }) =>
      all
        .filter(({ verdict }) => verdict !== 'not-applicable')
        .map(({ title, lines }) => [title, ...lines].join(': ')),
    ),
  ).toEqual([
    'sometimes: in at least one run: rule storm fires at least once',
    'sometimes: in at least one run: rule storm fires at least once',
    'sometimes: in at least one run: rule storm fires at least once',
    'sometimes: in at least one run: rule storm fires at least once',
    'sometimes: in at least one run: rule storm fires at least once',
    'always: one-key: Task task_1 was submitted with sk-test, but video.poll used sk-other.  #1 #2',
    'sometimes: in at least one run: rule storm fires at least once: in none of 2 runs',
  ])
  expect(judgeSeeds([of(1, 0), of(2, 1), of(3, 1), of(4, 1), of(5, 1)]).sometimes[0]!.actual).toBe(
    'in 4 of 5 runs, with seed 2, 3, 4',
  )
})

it('lists an abnormal end first, then failures by their earliest request, then the rest', () => {
  const result = (path: string, fails: boolean, requests: number[] = []) => ({
    path,
    title: path,
    verdict: fails ? ('fail' as const) : ('pass' as const),
    fails,
    expected: '',
    actual: '',
    requests,
  })
  const results = [
    result('passed', false),
    result('tasks[0]', true),
    result('late', true, [9]),
    result('early', true, [12, 3]),
    result('also passed', false, [1]),
  ]
  const broken = withAbnormalEnd(verdictOf({ results }), 'drive', {
    expected: 'the client ends',
    actual: 'it hangs',
  })
  expect(broken.passed).toBe(false)
  expect(reportRuns([broken]).suites[0]!.cases.map(({ title }) => title)).toEqual([
    'drive: the client ends',
    'early',
    'late',
    'tasks[0]',
    'passed',
    'also passed',
  ])
})

it('says which internal errors there were, and who should mend them', () => {
  const errors = [
    { number: 3, message: 'TypeError: x' },
    { number: 4, message: 'RangeError: y' },
  ]
  const definition = [{ number: 1, message: 'The definition of acme failed' }]
  expect(judgeInternalErrors({ count: 0, first: [] })).toEqual([])
  expect(
    [
      judgeInternalErrors({ count: 5, first: errors }),
      judgeInternalErrors({ count: 1, first: definition }),
    ].flat(),
  ).toEqual([
    {
      path: 'run',
      title: 'run: the simulator has no internal error',
      verdict: 'fail',
      fails: true,
      requests: [3, 4],
      expected: 'the simulator has no internal error',
      actual: '#3 TypeError: x, #4 RangeError: y, and 3 more',
      hint: 'This is a bug in greenroom, or in code that you passed to it: please report it.',
    },
    {
      path: 'run',
      title: 'run: the simulator has no internal error',
      verdict: 'fail',
      fails: true,
      requests: [1],
      expected: 'the simulator has no internal error',
      actual: '#1 The definition of acme failed',
      hint: 'Correct the file that defines the API.',
    },
  ])
})

it('prints the failures of a test with the requests that are to blame', () => {
  const story = new Story()
  const entries = [submit(), poll('SUCCESS', { key: 'sk-other', outcome: 'failed' })].map((made) =>
    story.add(made),
  )
  const named = verdictOf({ name: 'a kite', results: [{ ...verdictOf().results[0]!, hint: 'Use one key.' }] })
  expect([
    failureReport(verdictOf(), entries).split('\n'),
    failureReport(named, entries).split('\n'),
  ]).toEqual([
    [
      '  ✗ always: one-key',
      '      Task task_1 was submitted with sk-test, but video.poll used sk-other.  #1 #2',
      '  2 requests in 0s of virtual time, for $0.08',
      '  #1 video.submit: POST /video.submit/task_1 → 200',
      '  #2 video.poll: GET /video.poll/task_1 → 200 (failed)',
    ],
    [
      '✗ a kite, seed 1',
      '  ✗ always: one-key',
      '      Task task_1 was submitted with sk-test, but video.poll used sk-other.  #1 #2',
      '  2 requests in 0s of virtual time, for $0.08',
      '',
      'hint: Use one key.',
      '  #1 video.submit: POST /video.submit/task_1 → 200',
      '  #2 video.poll: GET /video.poll/task_1 → 200 (failed)',
    ],
  ])
  const stray = story.add({ operation: null, status: 404 })
  const all = { ...verdictOf().results[0]!, requests: [1, 2, 3, 4, 5, 6, 7] }
  const many = [...entries, stray, ...[4, 5, 6, 7].map(() => story.add(poll('queued')))]
  expect(
    failureReport(verdictOf({ results: [all] }), many)
      .split('\n')
      .filter((line) => /^ +#/.test(line)),
  ).toEqual([
    '  #1 video.submit: POST /video.submit/task_1 → 200',
    '  #2 video.poll: GET /video.poll/task_1 → 200 (failed)',
    '  #3 no operation: POST /null/ → 404',
    '  #4 video.poll: GET /video.poll/task_1 → 200',
    '  #5 video.poll: GET /video.poll/task_1 → 200',
  ])
})

it('lists numbers of a client without a scenario', () => {
  const story = new Story(invariantsOnly)
  for (const made of [
    submit(),
    submit({ task: 'task_2', identity: 'boat' }),
    poll('queued', { atMs: 5_000 }),
    poll(null, { atMs: 15_000, status: 503 }),
    poll(null, { atMs: 20_000, status: 0, outcome: 'failed', fault: 'reset' }),
    poll('queued', { atMs: 40_000, outcome: 'aborted' }),
    content({ content: 'partial', outcome: 'failed' }),
    content({ content: 'altered', fault: 'corrupt' }),
    { operation: null, path: '/stray', status: 404 },
  ])
    story.add(made)
  const verdict = judge({ watch: story.watch, now: start + 40_000, tasks: [], isWithoutScenario: true })
  const { after } = reportRuns([verdict]).suites[0]!
  expect(after).toEqual([
    '9 requests in 40s of virtual time, for $0.16',
    {
      title: 'Statistics',
      lines: [
        'video.submit: 2 requests, 2xx ×2',
        'video.poll: 4 requests, no response ×1, 2xx ×2, 5xx ×1, retried ×2, 1 broken, 1 aborted',
        '  intervals 5s to 20s, median 10s',
        'video.content: 2 requests, 2xx ×2, retried ×1, 2 broken',
        'unmatched: 1 request, 4xx ×1',
        'tasks: 2 submitted, 0 followed to the end, 1 never polled',
        'downloads: 2 of 1 task: 0 complete, 1 partial, 1 altered; 0 intact at the end',
        'exercised: auth-on-every-call ×8, backs-off ×2, no-duplicate-submit ×2, no-early-download ×2, one-key ×6, poll-interval ×1',
        'no operation: #9 POST /stray',
      ],
    },
  ])
})

it('draws at most twenty tasks, each from its submission to its end', () => {
  const task = { kind: 'video', reason: '', operations: { 'video.submit': 1, 'video.poll': 3 } }
  const begins = [
    { status: 'queued', fromMs: 10_000 },
    { status: 'IN_PROGRESS', fromMs: 20_000 },
  ]
  const tasks = Array.from({ length: 21 }, (_, index) => ({
    ...task,
    id: `task_${index}`,
    nth: index + 1,
    status: index === 0 ? 'SUCCESS' : index === 1 ? 'FAILURE' : 'IN_PROGRESS',
    reason: index === 1 ? 'r'.repeat(70) : '',
    submittedMs: 10_000,
    endedMs: index < 2 ? 30_000 : null,
    states: begins,
  }))
  const { after } = reportRuns([
    verdictOf({ tasks, elapsedMs: 40_000, approximated: { garbage: 2, drip: 1 } }),
  ]).suites[0]!
  const [faults, timeline, totals] = after as [string, { title: string; lines: string[] }, string]
  expect([
    faults,
    timeline.title,
    ...timeline.lines.slice(0, 4),
    ...timeline.lines.slice(20),
    totals,
  ]).toEqual([
    'approximated faults: garbage ×2, drip ×1',
    'Timeline',
    '         0s                                   40s',
    'video 1  ·········░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒███████████ SUCCESS after 20s; video.submit ×1, video.poll ×3',
    'video 2  ·········░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒███████████ FAILURE after 20s (rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr); video.submit ×1, video.poll ×3',
    'video 3  ·········░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ IN_PROGRESS; video.submit ×1, video.poll ×3',
    'video 20 ·········░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ IN_PROGRESS; video.submit ×1, video.poll ×3',
    'and more',
    '2 requests in 40s of virtual time, for $0.08',
  ])
  expect(reportRuns([verdictOf({ tasks, passed: true })]).suites[0]!.after).toHaveLength(1)
})
