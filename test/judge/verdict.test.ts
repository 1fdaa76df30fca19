import { describe, expect, it } from 'vitest'
import type { Expect } from '../../src/index.ts'
import { audit } from '../../src/judge/audit.ts'
import { findHorizon, judge, judgeEntries, type Run } from '../../src/judge/judge.ts'
import type { ReportedTask } from '../../src/judge/expectations/check.ts'
import { chat, content, poll, start, Story, submit, type Made } from './entries.ts'
import { needs } from '../support/needs.ts'

function storyOf(exchanges: readonly Made[], expected: Expect = {}): Story {
  const story = new Story(expected)
  for (const made of exchanges) story.add(made)
  return story
}

const judged = (story: Story, more: Partial<Omit<Run, 'watch'>> = {}) =>
  judge({ watch: story.watch, tasks: [], now: story.watch.lastAt ?? start, ...more })

const task = (id: string, more: Partial<ReportedTask> = {}): ReportedTask => ({
  id,
  operation: 'video.submit',
  kind: 'video',
  status: 'IN_PROGRESS',
  reason: '',
  submittedAt: start + 1_000,
  finishedAt: 0,
  request: {},
  timeline: [
    { status: 'queued', from: start + 1_000 },
    { status: 'IN_PROGRESS', from: start + 5_000 },
    { status: 'SUCCESS', from: start + 40_000 },
  ],
  ...more,
})

describe('the tasks of a verdict', () => {
  it('have the states so far, since the first request, and their requests', () => {
    const story = storyOf([
      submit({ atMs: 500 }),
      poll('queued', { atMs: 2_000 }),
      poll('IN_PROGRESS', { atMs: 5_000 }),
      content({ atMs: 5_000 }),
    ])
    const ended = task('d', {
      operation: 'mj.imagine',
      kind: 'drawing',
      status: 'FAILURE',
      reason: 'blurry',
      finishedAt: start + 3_000,
    })
    expect(judged(story, { tasks: [task('task_1'), ended, task('task_2')] }).tasks).toEqual([
      {
        id: 'task_1',
        kind: 'video',
        nth: 1,
        status: 'IN_PROGRESS',
        reason: '',
        submittedMs: 500,
        endedMs: null,
        states: [
          { status: 'queued', fromMs: 500 },
          { status: 'IN_PROGRESS', fromMs: 4500 },
        ],
        operations: { 'video.submit': 1, 'video.poll': 2, 'video.content': 1 },
      },
      {
        id: 'd',
        kind: 'drawing',
        nth: 1,
        status: 'FAILURE',
        reason: 'blurry',
        submittedMs: 500,
        endedMs: 2500,
        states: [
          { status: 'queued', fromMs: 500 },
          { status: 'IN_PROGRESS', fromMs: 4500 },
        ],
        operations: {},
      },
      {
        id: 'task_2',
        kind: 'video',
        nth: 2,
        status: 'IN_PROGRESS',
        reason: '',
        submittedMs: 500,
        endedMs: null,
        states: [
          { status: 'queued', fromMs: 500 },
          { status: 'IN_PROGRESS', fromMs: 4500 },
        ],
        operations: {},
      },
    ])
  })

  it('are at most a thousand', () => {
    const tasks = Array.from({ length: 1_001 }, (_, index) => task(`task_${index}`))
    expect(judged(storyOf([]), { tasks }).tasks).toHaveLength(1_000)
  })
})

it('has the duration, the number of requests, the timing and the names of the run', () => {
  const {
    results: _results,
    invariants: _invariants,
    ...rest
  } = judged(
    storyOf([
      submit({ atMs: 500, timing: 'exact' }),
      poll('queued', { atMs: 2_000, takesMs: 1_500, timing: 'exact' }),
    ]),
    { name: 'a kite', file: 'kite.yaml', seed: 7, reproduce: 'greenroom run' },
  )
  expect([rest]).toEqual([
    {
      name: 'a kite',
      file: 'kite.yaml',
      seed: '7',
      passed: true,
      tasks: [],
      requests: 2,
      elapsedMs: 3000,
      spent: 0.08,
      timing: 'exact',
      fired: [],
      approximated: {},
      reproduce: 'greenroom run',
    },
  ])
  expect(
    [judged(storyOf([]))].map(({ name, file, seed, elapsedMs, timing, spent, reproduce, passed }) => [
      name,
      file,
      seed,
      elapsedMs,
      timing,
      spent,
      reproduce,
      passed,
    ]),
  ).toEqual([['', null, null, 0, 'approximate', 0, null, true]])
})

it('names tasks that the client left when its end is known', () => {
  const story = storyOf([submit()])
  story.watch.end = 'succeeded'
  const { results, passed } = judged(story)
  expect([passed, results.map(({ path, title, actual }) => `${path}, ${title} → ${actual}`)]).toEqual([
    false,
    [
      'allow.abandonedTasks, abandoned tasks: the client follows each task that is paid for to its end → The client left task task_1 before it knew that the task had ended.',
    ],
  ])
  const allowed = storyOf([submit()], { allow: { abandonedTasks: true } })
  allowed.watch.end = 'succeeded'
  expect(judged(allowed).passed).toBe(true)
})

describe('a strict verdict', () => {
  const strictly = (expected: Expect, exchanges: readonly Made[], more: Partial<Run> = {}): string[] =>
    judged(storyOf(exchanges, expected), { strict: true, ...more }).results.map(
      ({ path, verdict, fails, hint, doubtful }) =>
        `${verdict}${fails ? '!' : ''} ${path}: ${hint}${doubtful ? ', doubtful' : ''}`,
    )
  const assumed = { timing: 'assumed' } as const
  const polls = [submit(assumed), poll('queued', assumed), poll('queued', assumed)]

  it('fails for what was not judged, and says how to allow it', () => {
    expect(strictly({ always: ['poll-interval', { name: 'poll-interval', optional: true }] }, polls)).toEqual(
      [
        'not-applicable! always[0]: To judge waits, let the client sleep on the clock, or pass --clock real. To allow it, write "expect: { allow: { notApplicable: true } }", or pass --no-strict.',
        'not-applicable always[1]: undefined',
      ],
    )
    expect(strictly({ always: ['poll-interval'], allow: { notApplicable: true } }, polls)).toEqual([
      'not-applicable always[0]: undefined',
    ])
    expect(strictly({ command: 'passes', sometimes: [{ rule: 'storm' }] }, [submit()])).toEqual([
      'not-applicable! command: To judge a command, put it after "--". To allow it, write "expect: { allow: { notApplicable: true } }", or pass --no-strict.',
      'not-applicable sometimes[0]: undefined',
    ])
  })

  it('fails for a doubt', () => {
    const repeated = [
      submit({ outcome: 'failed', fault: 'reset' }),
      submit({ task: 'task_2' }),
      poll('queued', { task: 'task_2' }),
    ]
    const expected: Expect = { always: ['no-duplicate-submit'] }
    expect(strictly(expected, repeated)).toEqual(['fail! always[0]: To allow it, pass --no-strict.'])
    expect(
      judged(storyOf(repeated, expected), { strict: true }).results.map(({ actual, requests }) => [
        actual,
        requests.join(),
      ]),
    ).toEqual([
      [
        'The response to #1 was lost and the request submitted again: tasks task_1 and task_2 are both charged.',
        '1,2',
      ],
    ])
    expect(
      judged(storyOf(repeated, expected)).results.map(({ verdict, doubtful }) => [verdict, doubtful]),
    ).toEqual([
      [
        'pass',
        {
          message:
            'The response to #1 was lost and the request submitted again: tasks task_1 and task_2 are both charged.',
          requests: [1, 2],
        },
      ],
    ])
  })

  it('fails for an approximated fault', () => {
    const broken = [1, 2].map(() => poll(null, { outcome: 'failed', fault: 'reset', approximated: true }))
    expect(
      judged(storyOf(broken), { strict: true }).results.map(({ title, actual, hint }) => [
        title,
        actual,
        hint,
      ]),
    ).toEqual([
      [
        'run: every fault is carried out exactly',
        'approximated: reset ×2',
        'To allow it, write "expect: { allow: { approximated: true } }", or pass --no-strict.',
      ],
    ])
  })

  it('without a scenario fails for an invariant that was not exercised', () => {
    needs('mj.imagine')
    const { results } = judgeEntries(storyOf([submit()]).entries, { strict: true })
    expect(results.filter(({ fails }) => fails).map(({ path, hint }) => `${path}: ${hint}`)).toEqual([
      'always.answers-callbacks: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.backs-off: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.ends-tool-loop: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.honours-retry-after: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.no-early-download: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.no-poll-after-terminal: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.one-key: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.poll-interval: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.reads-stream-to-end: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.verifies-webhooks: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
      'always.modal-follows-its-action: To allow it, run a scenario with "expect: { allow: { notExercised: true } }", or pass --no-strict.',
    ])
  })
})

it('judges entries with what their tasks cost, if the tasks are known', () => {
  const { entries } = storyOf([submit(), submit({ task: 'task_2', identity: 'boat' })])
  expect(judgeEntries(entries, {}).spent).toBeNull()
  expect(judgeEntries(entries, { tasks: [task('task_1')] }).spent).toBe(0.16)
  const failed = task('task_1', { status: 'FAILURE', finishedAt: start + 9_000 })
  expect(judgeEntries(entries, { tasks: [failed] }).spent).toBe(0.08)
})

it('has no horizon for a period that no request has begun', () => {
  const quiet: Expect['quiet'] = [
    { op: 'chat.complete', after: '1m', for: '1m' },
    { op: 'video.poll', after: '1m', for: '1m' },
  ]
  const story = storyOf([], { quiet })
  expect(findHorizon(story.watch)).toBeNull()
  expect(judged(story).results.map(({ actual }) => actual)).toEqual([
    'the period never began',
    'the period never began',
  ])
  story.add(poll('queued', { task: 'unknown' }))
  expect(judged(story).results.map(({ actual }) => actual)).toEqual([
    'the run ended 2m too early',
    'the period never began',
  ])
})

it('lists at most five tasks whose sequence was wrong', () => {
  const submits = Array.from({ length: 7 }, (_, index) =>
    submit({ task: `task_${index}`, identity: `kite ${index}` }),
  )
  expect(judged(storyOf(submits, { sequence: 'submit poll' })).results[0]!.requests).toEqual([1, 2, 3, 4, 5])
})

it('counts in an audit what clients did', () => {
  const story = storyOf([
    submit(),
    submit({ task: 'task_2', identity: 'boat' }),
    poll('queued', { atMs: 5_000 }),
    poll('SUCCESS', { atMs: 15_000 }),
    content({ content: 'altered', fault: 'corrupt' }),
    content({ atMs: 20_000, takesMs: 1_000 }),
    content({ atMs: 20_000, task: 'task_2', content: 'partial', outcome: 'failed' }),
    chat({ stream: { chunks: 3, ended: 'cut' }, approximated: true, fault: 'drip' }),
    ...Array.from({ length: 6 }, (_, index): Made => ({
      operation: null,
      path: `/stray/${index}`,
      status: 404,
    })),
    { operation: 'models.list', status: 500, internalError: 'TypeError: x' },
  ])
  const { invariants: _invariants, ...rest } = audit(story.watch)
  expect([rest]).toEqual([
    {
      requests: 15,
      elapsedMs: 21000,
      timing: 'approximate',
      passed: false,
      operations: [
        {
          operation: 'video.submit',
          requests: 2,
          statuses: { '2xx': 2 },
          retries: 0,
          retryAfters: 0,
          broken: 0,
          aborted: 0,
          intervalsMs: null,
        },
        {
          operation: 'video.poll',
          requests: 2,
          statuses: { '2xx': 2 },
          retries: 0,
          retryAfters: 0,
          broken: 0,
          aborted: 0,
          intervalsMs: { min: 10000, median: 10000, max: 10000 },
        },
        {
          operation: 'video.content',
          requests: 3,
          statuses: { '2xx': 3 },
          retries: 1,
          retryAfters: 0,
          broken: 2,
          aborted: 0,
          intervalsMs: null,
        },
        {
          operation: 'chat.complete',
          requests: 1,
          statuses: { '2xx': 1 },
          retries: 0,
          retryAfters: 0,
          broken: 0,
          aborted: 0,
          intervalsMs: null,
        },
        {
          operation: 'unmatched',
          requests: 6,
          statuses: { '4xx': 6 },
          retries: 0,
          retryAfters: 0,
          broken: 0,
          aborted: 0,
          intervalsMs: null,
        },
        {
          operation: 'models.list',
          requests: 1,
          statuses: { '5xx': 1 },
          retries: 0,
          retryAfters: 0,
          broken: 0,
          aborted: 0,
          intervalsMs: null,
        },
      ],
      tasks: { submitted: 2, followedToEnd: 1, abandoned: 0 },
      downloads: { tasks: 2, times: 3, complete: 1, partial: 1, altered: 1, intact: 1 },
      refused: [],
      unmatched: [
        { number: 9, method: 'POST', path: '/stray/0' },
        { number: 10, method: 'POST', path: '/stray/1' },
        { number: 11, method: 'POST', path: '/stray/2' },
        { number: 12, method: 'POST', path: '/stray/3' },
        { number: 13, method: 'POST', path: '/stray/4' },
      ],
      approximated: { drip: 1 },
      internalErrors: { count: 1, first: [{ number: 15, message: 'TypeError: x' }] },
    },
  ])
  expect([
    audit(storyOf([submit()]).watch).passed,
    audit(storyOf([submit({ key: '' })]).watch).passed,
  ]).toEqual([true, false])
})

it('counts a range of a file as a partial download, unless it follows a beginning', () => {
  const range = content({ status: 206, bytes: 250 })
  const cut = content({ outcome: 'failed', content: 'partial', bytes: 750 })
  const downloadsOf = (downloads: readonly Made[]) =>
    audit(storyOf([submit(), poll('SUCCESS'), ...downloads]).watch).downloads
  expect(downloadsOf([range, range, range, range])).toMatchObject({ complete: 0, partial: 4, intact: 1 })
  expect(downloadsOf([cut, range])).toMatchObject({ complete: 1, partial: 1, intact: 1 })
})
