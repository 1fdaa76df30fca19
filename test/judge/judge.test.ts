import { describe, expect, it } from 'vitest'
import type { Expect } from '../../src/index.ts'
import { findHorizon, judge, type Run } from '../../src/judge/judge.ts'
import type { ReportedTask } from '../../src/judge/expectations/check.ts'
import { judgeSeeds, type Result, type Verdict } from '../../src/judge/verdict.ts'
import { chat, content, poll, start, Story, submit, type Made } from './entries.ts'

type RunFields = Partial<Omit<Run, 'watch'>>

function judged(expected: Expect, exchanges: readonly Made[], more: RunFields = {}): Verdict {
  const story = new Story(expected)
  for (const made of exchanges) story.add(made)
  return judge({ watch: story.watch, tasks: [], now: story.watch.lastAt ?? start, ...more })
}

function result(expected: Expect, exchanges: readonly Made[], more: RunFields = {}): Result {
  return judged(expected, exchanges, more).results[0]!
}

const task = (id: string, more: Partial<ReportedTask> = {}): ReportedTask => ({
  id,
  operation: 'video.submit',
  kind: 'video',
  status: 'SUCCESS',
  reason: '',
  submittedAt: start,
  finishedAt: start + 40_000,
  request: { model: 'video-1' },
  timeline: [
    { status: 'queued', from: start },
    { status: 'IN_PROGRESS', from: start + 5_000 },
    { status: 'SUCCESS', from: start + 40_000 },
  ],
  ...more,
})

const failed = task('task_2', { status: 'FAILURE', reason: 'content policy' })

describe('tasks', () => {
  const tasks = [task('task_1'), failed, task('d', { operation: 'mj.imagine', kind: 'drawing' })]

  it.each<[string, NonNullable<Expect['tasks']>[number], Result['verdict']]>([
    ['at least one', { kind: 'video', status: 'SUCCESS' }, 'pass'],
    ['an exact number', { kind: 'video', status: 'SUCCESS', count: 2 }, 'fail'],
    ['a range', { status: ['SUCCESS', 'FAILURE'], count: { min: 3, max: 3 } }, 'pass'],
    ['one of its kind', { kind: 'drawing', nth: 1, status: 'SUCCESS' }, 'pass'],
    ['one that isn’t there', { kind: 'video', nth: 3 }, 'fail'],
    ['its reason', { kind: 'video', nth: 2, reason: { contains: 'policy' } }, 'pass'],
    ['no such reason', { kind: 'video', nth: 2, reason: { glob: 'time*' } }, 'fail'],
    ['a regular expression', { nth: 2, reason: { regex: '^content \\w+$' } }, 'pass'],
    ['how long it took', { kind: 'video', elapsed: { min: '40s', max: '40s' }, count: 2 }, 'pass'],
    ['how long it took, too short', { kind: 'video', elapsed: { max: '39s' } }, 'fail'],
    ['each', { kind: 'video', each: true, status: 'SUCCESS' }, 'fail'],
    ['each of none', { model: 'other', each: true, status: 'SUCCESS' }, 'not-exercised'],
    ['an operation', { op: 'mj.*', count: 1 }, 'pass'],
    ['none', { status: 'queued', count: 0 }, 'pass'],
  ])('judges %s', async (_what, wanted, verdict) => {
    const expected = { tasks: [wanted] }
    expect(result(expected, [], { tasks }).verdict).toBe(verdict)
  })

  it('describes the other tasks', () => {
    const { title, actual } = result({ tasks: [{ status: 'SUCCESS', count: 3 }] }, [], { tasks })
    expect(title).toBe('tasks: 3 × task: SUCCESS')
    expect(actual).toBe('2 of 3; others: task_2 FAILURE after 40s (content policy)')
  })
})

describe('requests', () => {
  const second = submit({ task: 'task_2', identity: 'boat' })
  const exchanges = [
    submit(),
    second,
    poll('queued', { atMs: 5_000 }),
    poll(null, { status: 429, rules: ['storm'], atMs: 10_000 }),
    poll('IN_PROGRESS', { atMs: 15_000 }),
    poll('SUCCESS', { atMs: 20_000 }),
    poll('queued', { task: 'task_2', atMs: 20_000 }),
    content({ content: 'altered', fault: 'corrupt' }),
    content({}),
    chat({ model: 'sim-text-1', stream: { chunks: 8, ended: 'error' } }),
    chat({ stream: { chunks: 20, ended: 'finished' }, firstByteAt: start + 22_000 }),
  ]

  it.each<[string, NonNullable<Expect['requests']>[number], Result['verdict'], number[]]>([
    ['a count', { op: 'video.submit', count: 2 }, 'pass', []],
    ['another count', { op: 'video.submit', count: 1 }, 'fail', [1, 2]],
    ['a glob', { op: 'video.*', count: 9 }, 'pass', []],
    ['several operations', { op: ['video.submit', 'chat.complete'], count: 4 }, 'pass', []],
    ['a status', { op: 'video.poll', status: 429, count: { max: 1 } }, 'pass', []],
    ['a class of status', { op: 'video.poll', status: '2xx', count: 4 }, 'pass', []],
    ['too few', { op: 'video.poll', status: 429, count: 2 }, 'fail', [3, 5, 6, 7]],
    ['a task', { op: 'video.poll', taskNth: 2, count: 1 }, 'pass', []],
    ['a submission of a task', { op: 'video.submit', taskNth: 2, count: 1 }, 'pass', []],
    ['content', { op: 'video.content', content: 'complete', count: 1 }, 'pass', []],
    ['a fault', { op: 'video.content', fault: 'corrupt', count: 1 }, 'pass', []],
    ['a rule', { op: 'video.poll', rule: 'storm', count: 1 }, 'pass', []],
    ['a model', { op: 'chat.complete', model: 'sim-*', count: 1 }, 'pass', []],
    [
      'the first of them',
      { op: 'chat.complete', nth: 1, stream: { chunks: 8, ended: 'error' } },
      'pass',
      [10],
    ],
    ['the second of them', { op: 'chat.complete', nth: 2, stream: { ended: 'error' } }, 'fail', [11]],
    ['the third of them', { op: 'chat.complete', nth: 3 }, 'fail', []],
    ['the first byte', { op: 'chat.complete', nth: 2, ttfb: { max: '2s' } }, 'pass', [11]],
    ['each', { op: 'video.poll', each: true, status: 200 }, 'fail', [4]],
    ['each of none', { op: 'mj.fetch', each: true, status: 200 }, 'not-exercised', []],
    ['states', { op: 'video.poll', taskNth: 1, saw: ['queued', 'IN_PROGRESS', 'SUCCESS'] }, 'pass', []],
    ['states of every task', { op: 'video.poll', saw: ['queued', 'SUCCESS'] }, 'fail', [7]],
    ['none', { op: 'mj.*', count: 0 }, 'pass', []],
    ['a role', { role: 'poll', count: 5 }, 'pass', []],
    ['several roles', { role: ['download', 'text'], count: 4 }, 'pass', []],
    ['a role of some operations', { op: 'video.*', role: 'download', count: 2 }, 'pass', []],
    ['a role of a task', { role: 'poll', taskNth: 2, count: 2 }, 'fail', []],
  ])('judges %s', (_what, wanted, verdict, requests) => {
    expect(result({ requests: [wanted] }, exchanges)).toMatchObject({ verdict, requests })
  })

  it('counts by how exchanges ended', () => {
    const requests: Expect['requests'] = [{ op: 'video.poll', outcome: 'aborted', count: 1 }]
    const left = poll('queued', { outcome: 'aborted' })
    expect(result({ requests }, [left, poll('queued')]).verdict).toBe('pass')
    expect(result({ requests }, [poll('queued'), poll('queued')]).verdict).toBe('fail')
  })

  it('ignores the state in a response that was lost', () => {
    const saw: Expect = { requests: [{ op: 'video.poll', saw: ['queued'] }] }
    expect(result(saw, [submit(), poll('queued', { outcome: 'failed', fault: 'reset' })]).verdict).toBe(
      'fail',
    )
  })

  it('counts open exchanges by what is known of them', () => {
    const story = new Story({ requests: [{ op: 'video.poll', status: 200, count: 1 }] })
    story.open(poll('queued'))
    expect(judge({ watch: story.watch, tasks: [], now: start }).passed).toBe(true)
  })
})

describe('artifacts', () => {
  const tasks = [task('task_1')]
  const artifacts: Expect = { artifacts: [{ kind: 'video', downloaded: 'intact' }] }
  const part = content({ outcome: 'failed', content: 'partial', bytes: 400 })
  const altered = content({ content: 'altered' })
  const corruptPart = { ...part, fault: 'corrupt' }
  const rest = content({ status: 206, bytes: 600 })

  it.each<[string, Made[], Result['verdict']]>([
    ['whole', [content()], 'pass'],
    ['never', [], 'fail'],
    ['in part', [part], 'fail'],
    ['in part, then the rest', [part, rest], 'pass'],
    ['in part, then whole', [part, content()], 'pass'],
    ['altered', [altered], 'fail'],
    ['altered, then whole', [altered, content()], 'pass'],
    ['altered, then only the end of it', [altered, rest], 'fail'],
    ['corrupt in part, then the rest', [corruptPart, rest], 'fail'],
    ['corrupt in part, then whole', [corruptPart, content()], 'pass'],
    ['corrupt in part, then in part, then the rest', [corruptPart, part, rest], 'pass'],
    ['in ranges, the first one corrupt at first', [{ ...rest, fault: 'corrupt' }, rest, rest], 'pass'],
    ['whole, then altered', [content(), altered], 'fail'],
    [
      'whole, then its headers, then unchanged',
      [content(), content({ method: 'HEAD', bytes: 0 }), content({ status: 304, bytes: 0 })],
      'pass',
    ],
    [
      'in three ranges',
      [
        content({ status: 206, bytes: 300 }),
        content({ status: 206, bytes: 300 }),
        content({ status: 206, bytes: 400 }),
      ],
      'pass',
    ],
    ['abandoned', [content({ outcome: 'aborted', bytes: 10 })], 'fail'],
    ['refused', [content({ status: 503 })], 'fail'],
    ['whole, with another media type', [content({ fault: 'wrong-type' })], 'pass'],
  ])('judges a download that came %s', (_how, downloads, verdict) => {
    expect(result(artifacts, [submit(), poll('SUCCESS'), ...downloads], { tasks }).verdict).toBe(verdict)
  })

  it('expects nothing of failed tasks, and is not exercised without others', () => {
    expect(result(artifacts, [], { tasks: [failed] })).toMatchObject({
      verdict: 'not-exercised',
      actual: 'no such task succeeded',
      requests: [],
    })
  })

  it('judges never and any', () => {
    const never: Expect = { artifacts: [{ kind: 'video', downloaded: 'never' }] }
    const any: Expect = { artifacts: [{ kind: 'video', downloaded: 'any' }] }
    expect(result(never, [submit()], { tasks }).verdict).toBe('pass')
    expect(result(never, [submit(), part], { tasks }).verdict).toBe('fail')
    expect(result(any, [submit(), part], { tasks }).verdict).toBe('pass')
  })
})

describe('sequence', () => {
  const sequence = 'submit poll+ content'

  it('follows each task by itself', () => {
    const other = { task: 'task_2', identity: 'boat' }
    const exchanges = [
      submit(),
      submit(other),
      poll('queued'),
      poll('SUCCESS', other),
      content(other),
      content(),
    ]
    expect(result({ sequence }, exchanges)).toMatchObject({ verdict: 'pass', path: 'sequence' })
  })

  it('names the request that does not match, and what would', () => {
    const early = [submit(), content({ status: 400, final: false }), poll('SUCCESS'), content()]
    const found = result({ sequence }, early)
    expect(found).toMatchObject({ verdict: 'fail', requests: [2] })
    expect(found.actual).toBe('task task_1: #2 is video.content, expected poll')
    expect(result({ sequence }, [submit(), poll('queued')]).actual).toBe(
      'task task_1: no further request, expected poll or content',
    )
  })

  it('matches names and kinds of operations, and skips redirects', () => {
    const exchanges = [submit(), poll('SUCCESS'), content({ status: 302 }), content()]
    for (const is of ['submit poll download', 'submit poll content', 'any any any']) {
      expect(result({ sequence: [{ kind: 'video', is }] }, exchanges), is).toMatchObject({
        verdict: 'pass',
        path: 'sequence[0]',
      })
    }
  })

  it('is not exercised without tasks, and rejects an invalid pattern', () => {
    expect(result({ sequence }, [chat()]).verdict).toBe('not-exercised')
    expect(() => new Story({ sequence: 'submit (' })).toThrow(/write words/i)
  })
})

describe('rules', () => {
  const rules = [
    { id: 'storm', eligible: 5, fired: 2, optional: false },
    { id: 'idle', eligible: 0, fired: 0, optional: false },
    { id: 'maybe', eligible: 0, fired: 0, optional: true },
  ]

  it('counts named rules, and requires the others to fire at least once', () => {
    const { results } = judged({ rules: { storm: { fired: { min: 1 } } } }, [], { rules })
    expect(results.map(({ path, verdict }) => [path, verdict])).toEqual([
      ['rules.storm', 'pass'],
      ['rules.idle', 'fail'],
    ])
    expect(
      judged({ rules: { storm: { fired: 1 } }, allow: { unusedRules: true } }, [], { rules }).passed,
    ).toBe(false)
    expect(judged({ allow: { unusedRules: true } }, [], { rules }).passed).toBe(true)
    expect(judged({ rules: { ghost: { fired: 0 } } }, []).results[0]!.actual).toBe('there is no such rule')
  })
})

describe('quiet', () => {
  const quiet: Expect = { quiet: [{ op: 'video.poll', taskNth: 1, after: '15m', for: '5m' }] }
  const minutes = (count: number): number => count * 60_000

  it('accepts a period without polls after the submission', () => {
    const story = [submit({ atMs: 1_000 }), poll('queued', { atMs: minutes(15) })]
    const now = start + minutes(20) + 1_000
    expect(result(quiet, story, { now }).verdict).toBe('pass')
    const loud = poll('queued', { atMs: minutes(17) })
    expect(result(quiet, [...story, loud], { now })).toMatchObject({ verdict: 'fail', requests: [3] })
  })

  it('says how far an idle clock must be moved, and is not exercised before', () => {
    const story = new Story(quiet)
    expect(findHorizon(story.watch)).toBeNull()
    story.add(submit({ atMs: 1_000 }))
    expect(findHorizon(story.watch)).toBe(start + 1_000 + minutes(20))
    const verdict = judge({ watch: story.watch, tasks: [], now: start + minutes(1) })
    expect(verdict.results[0]!.verdict).toBe('not-exercised')
  })

  it('selects by role, in every API', () => {
    const polls: Expect = { quiet: [{ role: 'poll', after: '1m', for: '1m' }] }
    const drawing = submit({ operation: 'mj.imagine', task: 'drawing', atMs: 30_000 })
    const early = poll('IN_PROGRESS', { operation: 'mj.fetch', task: 'drawing', atMs: minutes(1) })
    const now = start + minutes(3)
    expect(result(polls, [submit(), drawing, early], { now }).verdict).toBe('pass')
    const late = { ...early, atMs: 100_000 }
    expect(result(polls, [submit(), drawing, late], { now })).toMatchObject({
      verdict: 'fail',
      requests: [3],
    })
  })

  it('waits for the period of each kind of task that its operations concern', () => {
    const story = new Story({ quiet: [{ op: ['video.poll', 'mj.fetch'], after: '1m', for: '1m' }] })
    story.add(submit())
    story.add(submit({ operation: 'mj.imagine', task: 'drawing', atMs: minutes(5) }))
    expect(findHorizon(story.watch)).toBe(start + minutes(7))
  })

  it('counts from the first request where there is no task', () => {
    const texts: Expect = { quiet: [{ op: 'chat.complete', after: '1m', for: '1m' }] }
    expect(result(texts, [chat(), chat({ atMs: 90_000 })]).verdict).toBe('fail')
  })
})

describe('the whole run', () => {
  it('fails for requests that match no operation, unless they are allowed', () => {
    const stray: Made = { operation: null, status: 404, path: '/v1/video/generation' }
    const found = result({}, [stray])
    expect(found).toMatchObject({ verdict: 'fail', requests: [1] })
    expect(found.actual).toContain('/v1/video/generation')
    expect(judged({ allow: { unmatched: true } }, [stray]).passed).toBe(true)
  })

  it('limits the virtual time until the last response', () => {
    const story = [submit(), chat({ atMs: 29_000, takesMs: 2_000 })]
    expect(result({ within: '31s' }, story).verdict).toBe('pass')
    expect(result({ within: '30s' }, story).verdict).toBe('fail')
    expect(result({ within: '30s' }, []).verdict).toBe('not-exercised')
  })

  it('fails for what is not exercised, unless that is allowed', () => {
    const always: Expect = { always: ['no-early-download'] }
    expect(judged(always, [submit()]).results[0]).toMatchObject({ verdict: 'not-exercised', fails: true })
    expect(judged({ ...always, allow: { notExercised: true } }, [submit()]).passed).toBe(true)
    expect(judged({ always: [{ name: 'no-early-download', optional: true }] }, [submit()]).passed).toBe(true)
  })

  it('passes what is not applicable, and shows it', () => {
    const polls = [poll('queued', { timing: 'assumed' }), poll('queued', { timing: 'assumed' })]
    const [found] = judged({ always: ['poll-interval'] }, polls).results
    expect(found).toMatchObject({ verdict: 'not-applicable', fails: false, path: 'always[0]' })
  })

  it('reports the position of an expectation in the file', () => {
    const at: Run['at'] = (path) =>
      path.join('.') === 'requests.0' ? { file: 'kite.yaml', line: 12, column: 5 } : undefined
    expect(result({ requests: [{ op: 'video.poll' }] }, [], { at }).at).toEqual({
      file: 'kite.yaml',
      line: 12,
      column: 5,
    })
  })

  it('lists the faults that were only approximated', () => {
    const verdict = judged({}, [poll(null, { fault: 'garbage', approximated: true, outcome: 'failed' })])
    expect(verdict.approximated).toEqual({ garbage: 1 })
  })
})

describe('sometimes', () => {
  const sometimes: Expect = {
    sometimes: [
      { request: { op: 'video.poll', status: 429 } },
      { rule: 'storm' },
      { task: { status: 'FAILURE' } },
    ],
  }
  const calm = judged(sometimes, [poll('queued')], { seed: 1 })
  const stormy = judged(sometimes, [poll(null, { status: 429 })], {
    seed: 2,
    tasks: [failed],
    rules: [{ id: 'storm', eligible: 1, fired: 1, optional: false }],
  })

  it('is not applicable in one run, and must hold in one of several', () => {
    expect(calm.results.map(({ verdict }) => verdict)).toEqual([
      'not-applicable',
      'not-applicable',
      'not-applicable',
    ])
    expect(calm.passed).toBe(true)
    expect(judgeSeeds([calm, calm]).passed).toBe(false)
    const swept = judgeSeeds([calm, stormy])
    expect(swept.passed).toBe(true)
    expect(swept.sometimes[0]!.actual).toBe('in 1 of 2 runs, with seed 2')
  })

  it('names the seeds that failed', () => {
    const broken = judged({ requests: [{ op: 'mj.fetch' }] }, [], { seed: 9 })
    const fine = judged({ requests: [{ op: 'mj.fetch', count: 0 }] }, [], { seed: 8 })
    expect(judgeSeeds([fine, broken])).toMatchObject({ passed: false, failedSeeds: ['9'] })
    expect(() => judgeSeeds([])).toThrow(/at least one seed/)
  })
})
