import type { OperationFacts } from '../../src/engine/operations/facts.ts'
import { OperationTable } from '../../src/engine/operations/operation-table.ts'
import { describe, expect, it } from 'vitest'
import type { JournalEntry } from '../../src/index.ts'
import { chat, content, poll, Story, reportFor, submit, type Made } from './entries.ts'
import { needs } from '../support/needs.ts'

const again: Made = { task: 'task_2' }
const lost: Made = { outcome: 'failed', bytes: 0, status: 0, fault: 'reset' }

describe('auth-on-every-call', () => {
  it('accuses a download without a key', () => {
    const report = reportFor('auth-on-every-call', [
      submit(),
      content({ key: '', status: 401, authorized: false }),
    ])
    expect(report).toMatchObject({ verdict: 'fail', violations: 1, first: { requests: [2] } })
    expect(report.first!.message).toContain('carried no key')
  })

  it('requires no key for images, signed links and unknown paths', () => {
    const report = reportFor('auth-on-every-call', [
      submit(),
      { operation: 'mj.image', key: '', authorized: false },
      content({ key: '', authorized: false }),
      { operation: null, key: '', status: 404, authorized: false },
    ])
    expect(report).toMatchObject({ verdict: 'pass', exercised: 2 })
  })

  it('accepts an expired key', () => {
    expect(
      reportFor('auth-on-every-call', [submit({ status: 401, authorized: false, task: null })]).verdict,
    ).toBe('pass')
  })

  it('is not exercised without requests', () => {
    expect(reportFor('auth-on-every-call', [])).toMatchObject({ verdict: 'not-exercised' })
  })
})

describe('one-key', () => {
  it('accuses a poll with another key', () => {
    const report = reportFor('one-key', [submit(), poll('queued', { key: 'sk-other' })])
    expect(report).toMatchObject({ verdict: 'fail', first: { requests: [1, 2] } })
  })

  it('accuses a poll with another key that has the same mask', () => {
    const report = reportFor('one-key', [
      submit({ key: 'sk-ab…yz', keyHash: 'one' }),
      poll('queued', { key: 'sk-ab…yz', keyHash: 'other' }),
    ])
    expect(report).toMatchObject({ verdict: 'fail', first: { requests: [1, 2] } })
    expect(report.first!.message).toContain('looks the same when masked')
  })

  it('accuses a button pressed with another key', () => {
    const action: Made = { operation: 'mj.action', task: 'b', parent: 'a', identity: 'U1', key: 'sk-other' }
    expect(reportFor('one-key', [{ operation: 'mj.imagine', task: 'a' }, action]).verdict).toBe('fail')
  })

  it('accepts a key for each user, and images without a key', () => {
    const report = reportFor('one-key', [
      submit({ key: 'sk-a' }),
      submit({ key: 'sk-b', task: 'task_2', identity: 'boat' }),
      poll('queued', { key: 'sk-b', task: 'task_2' }),
      poll('queued', { key: 'sk-a' }),
      { operation: 'mj.image', task: 'task_1', key: 'sk-z' },
    ])
    expect(report).toMatchObject({ verdict: 'pass', exercised: 2 })
  })

  it('accepts another key after one was refused', () => {
    const report = reportFor('one-key', [
      submit({ key: 'sk-old' }),
      poll(null, { key: 'sk-old', status: 401, authorized: false, task: null }),
      poll('queued', { key: 'sk-new' }),
    ])
    expect(report.verdict).toBe('pass')
  })
})

describe('no-poll-after-terminal', () => {
  it('accuses the first poll after the end was reported', () => {
    const report = reportFor('no-poll-after-terminal', [
      submit(),
      poll('SUCCESS'),
      poll('SUCCESS'),
      poll('SUCCESS'),
    ])
    expect(report).toMatchObject({ verdict: 'fail', violations: 2, first: { requests: [2, 3] } })
  })

  it.each([
    [100, 'fail'],
    [5_000, 'pass'],
  ])('takes a submission for a retry if the first is aborted %i ms after it', (delayMs, verdict) => {
    const story = new Story()
    const first = story.open(submit())
    const second = story.open(submit({ task: 'task_2', atMs: 1_000 }))
    story.settle(first, { outcome: 'aborted' }, 1_000 + delayMs)
    story.settle(second)
    story.add(poll('SUCCESS', { task: 'task_2' }))
    expect(story.invariant('no-duplicate-submit')).toMatchObject({ verdict })
  })

  it.each<[string, readonly Made[], string]>([
    ['of which one is followed to its end and the other never polled', [poll('SUCCESS', again)], 'fail'],
    ['of which the second is never polled', [poll('SUCCESS')], 'fail'],
    ['that are both polled', [poll('queued'), poll('SUCCESS', again)], 'pass'],
    ['of which one is polled, and not to its end', [poll('queued', again)], 'pass'],
    ['of which none is polled', [], 'pass'],
    ['that a list shows', [{ operation: 'mj.list' }, poll('SUCCESS', again)], 'pass'],
  ])('judges two equal submissions at once, %s', (_what, polls, verdict) => {
    const story = new Story()
    const both = [story.open(submit()), story.open(submit({ ...again, atMs: 1 }))]
    for (const each of both) story.settle(each)
    for (const each of polls) story.add(each)
    expect(story.invariant('no-duplicate-submit')).toMatchObject({ verdict })
  })

  it('accepts one signal that aborts two identical submissions', () => {
    const story = new Story()
    const both = [story.open(submit()), story.open(submit({ task: 'task_2', atMs: 1 }))]
    story.settle(both[1]!, { outcome: 'aborted' }, 50)
    story.settle(both[0]!, { outcome: 'aborted' }, 51)
    expect(story.invariant('no-duplicate-submit').violations).toBe(0)
  })

  it.each<[string, Made]>([
    ['was reset', { outcome: 'failed', fault: 'reset' }],
    ['was invalid', { fault: 'invalid-json' }],
    ['was of another type', { fault: 'wrong-type' }],
    ['was abandoned', { outcome: 'aborted' }],
    ['was refused', { status: 429, reportedStatus: null }],
    ['was stale', { fault: 'stale', reportedStatus: 'queued', final: true }],
  ])('lets a client ask again whose answer %s', (_how, made) => {
    const report = reportFor('no-poll-after-terminal', [submit(), poll('SUCCESS', made), poll('SUCCESS')])
    expect(report).toMatchObject({ verdict: 'pass', exercised: 1 })
  })

  it('accepts one poll through each API', () => {
    const retrieve = poll('SUCCESS', { operation: 'videos.retrieve' })
    expect(reportFor('no-poll-after-terminal', [submit(), poll('SUCCESS'), retrieve]).verdict).toBe('pass')
    expect(reportFor('no-poll-after-terminal', [submit(), poll('SUCCESS'), retrieve, retrieve]).verdict).toBe(
      'fail',
    )
  })

  it('accepts a poll after a failed download', () => {
    const report = reportFor('no-poll-after-terminal', [
      submit(),
      poll('SUCCESS'),
      content({ status: 403 }),
      poll('SUCCESS'),
    ])
    expect(report.verdict).toBe('pass')
  })

  it('accepts a poll for buttons after one was pressed', () => {
    const fetched: Made = { operation: 'mj.fetch', task: 'a', reportedStatus: 'SUCCESS' }
    const pressed: Made = { operation: 'mj.action', task: 'b', parent: 'a', identity: 'U1' }
    const imagine: Made = { operation: 'mj.imagine', task: 'a' }
    expect(reportFor('no-poll-after-terminal', [imagine, fetched, pressed, fetched]).verdict).toBe('pass')
    expect(reportFor('no-poll-after-terminal', [imagine, fetched, fetched, pressed]).verdict).toBe('fail')
  })

  it('ignores an end in a response that has not arrived', () => {
    const story = new Story()
    story.add(submit())
    const first = story.open(poll('SUCCESS'))
    story.add(poll('SUCCESS'))
    story.settle(first)
    expect(story.invariant('no-poll-after-terminal').verdict).toBe('pass')
  })

  it('is not exercised by a task that never ends', () => {
    expect(reportFor('no-poll-after-terminal', [submit(), poll('queued'), poll('queued')]).verdict).toBe(
      'not-exercised',
    )
  })
})

describe('poll-interval', () => {
  const polls = (...atMs: number[]): Made[] => [
    submit(),
    ...atMs.map((each) => poll('queued', { atMs: each })),
  ]

  it('accuses polls that are too fast, and slow ones only if the file has a maximum', () => {
    expect(reportFor('poll-interval', polls(0, 5_000, 15_000))).toMatchObject({
      verdict: 'pass',
      exercised: 2,
    })
    const hasty = reportFor('poll-interval', polls(0, 5_000, 6_000))
    expect(hasty).toMatchObject({ verdict: 'fail', first: { requests: [3, 4] } })
    expect(hasty.first!.message).toContain('after 1s of virtual time, expected 5s or more')
    const slow = polls(0, 12_000, 72_000)
    expect(reportFor('poll-interval', slow)).toMatchObject({ verdict: 'pass', exercised: 2 })
    const always = { always: [{ name: 'poll-interval', min: '5s', max: '10s' }] } as const
    expect(reportFor('poll-interval', slow, always).verdict).toBe('fail')
  })

  it('uses the bounds of the file, also for drawings', () => {
    const fetched = (atMs: number): Made => ({
      operation: 'mj.fetch',
      task: 'a',
      reportedStatus: 'IN_PROGRESS',
      atMs,
    })
    const always = { always: [{ name: 'poll-interval', min: '3s' }] } as const
    expect(reportFor('poll-interval', [fetched(0), fetched(1_000)]).verdict).toBe('not-exercised')
    expect(reportFor('poll-interval', [fetched(0), fetched(1_000)], always).verdict).toBe('fail')
    expect(reportFor('poll-interval', [fetched(0), fetched(3_000), fetched(90_000)], always).verdict).toBe(
      'pass',
    )
  })

  it('accepts a slow client that sends other requests', () => {
    const other = poll('queued', { task: 'task_2', atMs: 6_000 })
    const report = reportFor('poll-interval', [
      submit(),
      poll('queued', { atMs: 0 }),
      other,
      poll('queued', { atMs: 12_000 }),
    ])
    expect(report.verdict).toBe('pass')
  })

  it('leaves the wait after a failure to other invariants', () => {
    const report = reportFor('poll-interval', [
      submit(),
      poll(null, { status: 503, atMs: 0 }),
      poll(null, { ...lost, atMs: 500 }),
      poll('queued', { atMs: 1_500 }),
      poll('SUCCESS', { atMs: 6_500 }),
    ])
    expect(report).toMatchObject({ verdict: 'pass', exercised: 1 })
  })

  it('is not applicable while waits are assumed', () => {
    const assumed = polls(0, 5_000).map((made): Made => ({ ...made, timing: 'assumed' }))
    const report = reportFor('poll-interval', assumed)
    expect(report.verdict).toBe('not-applicable')
    for (const way of ['--virtual-timers', 'Python', 'clock.sleep']) expect(report.reason).toContain(way)
  })

  it('judges the waits before the first sleep on the clock once there is one, without assumed poll steps', () => {
    const wallAt = Date.UTC(2030, 0, 1)
    const early = [0, 5_000].map((atMs): Made =>
      poll('queued', { atMs, wallAt, assumedMs: atMs, timing: 'assumed' }),
    )
    const later = (atMs: number): Made => poll('queued', { atMs, assumedMs: 5_000, timing: 'virtual' })
    expect(reportFor('poll-interval', [submit({ timing: 'assumed' }), ...early]).verdict).toBe(
      'not-applicable',
    )
    const report = reportFor('poll-interval', [submit({ timing: 'assumed' }), ...early, later(10_000)])
    expect(report).toMatchObject({
      verdict: 'fail',
      exercised: 2,
      violations: 1,
      first: { requests: [2, 3] },
    })
    expect(report.first!.message).toContain('after 0s of virtual time')
  })

  it('judges by wall time if that counts, and accepts a wait in wall time on any clock', () => {
    const at = (atMs: number, wallMs: number, timing: 'wall' | 'virtual'): Made =>
      poll('queued', { atMs, wallAt: Date.UTC(2030, 0, 1) + wallMs, timing })
    expect(reportFor('poll-interval', [submit(), at(0, 0, 'wall'), at(300_000, 5_000, 'wall')]).verdict).toBe(
      'pass',
    )
    expect(reportFor('poll-interval', [submit(), at(0, 0, 'wall'), at(300_000, 1_000, 'wall')]).verdict).toBe(
      'fail',
    )
    expect(reportFor('poll-interval', [submit(), at(0, 0, 'virtual'), at(0, 5_000, 'virtual')]).verdict).toBe(
      'pass',
    )
  })
})

describe('honours-retry-after', () => {
  const refused = (more: Made = {}): Made => poll(null, { status: 429, retryAfterMs: 10_000, ...more })

  it('accuses an early retry', () => {
    const report = reportFor('honours-retry-after', [
      submit(),
      refused({ atMs: 0 }),
      poll('queued', { atMs: 5_000 }),
    ])
    expect(report).toMatchObject({ verdict: 'fail', first: { requests: [2, 3] } })
    expect(report.first!.message).toContain('Retry-After 10s')
  })

  it('accepts a wait, other requests, and a retry one second early', () => {
    const report = reportFor('honours-retry-after', [
      submit(),
      refused({ atMs: 0 }),
      poll('queued', { task: 'task_2', atMs: 1 }),
      poll('queued', { operation: 'videos.retrieve', atMs: 2 }),
      poll('queued', { atMs: 9_100 }),
    ])
    expect(report).toMatchObject({ verdict: 'pass', exercised: 1 })
  })

  it('tolerates an early retry if the response never arrived', () => {
    const report = reportFor('honours-retry-after', [
      submit(),
      refused({ ...lost, atMs: 0 }),
      poll('queued', { atMs: 1 }),
    ])
    expect(report.verdict).toBe('not-exercised')
  })

  it('distinguishes four requests at once from retries', () => {
    const story = new Story()
    const four = [1, 2, 3, 4].map((nth) =>
      story.open(
        nth < 3
          ? submit({ task: `task_${nth}` })
          : submit({ task: null, status: 429, retryAfterMs: (nth - 2) * 10_000 }),
      ),
    )
    for (const entry of four) story.settle(entry)
    story.add(submit({ task: 'task_3', atMs: 10_000 }))
    story.add(submit({ task: 'task_4', atMs: 20_000 }))
    expect(story.invariant('honours-retry-after')).toMatchObject({ verdict: 'pass', exercised: 2 })
  })

  it('accuses a sequential client that submits again immediately', () => {
    const refusal = submit({ task: null, status: 429, retryAfterMs: 10_000 })
    expect(reportFor('honours-retry-after', [refusal, refusal, submit()])).toMatchObject({
      verdict: 'fail',
      violations: 2,
    })
  })
})

describe('backs-off', () => {
  const trouble = (atMs: number): Made => poll(null, { status: 503, atMs })

  it('accuses two retries in a row without a wait', () => {
    const report = reportFor('backs-off', [submit(), trouble(0), trouble(0), poll('queued', { atMs: 0 })])
    expect(report).toMatchObject({ verdict: 'fail', first: { requests: [3, 4] } })
  })

  const busy = (timing: JournalEntry['timing'], realMs: number): Made[] =>
    [0, 1, 2].map((turn) =>
      poll(null, { status: 503, atMs: 0, wallAt: Date.UTC(2030, 0, 1) + turn * realMs, timing }),
    )

  it('counts virtual time alone where it is exact: computing is no wait', () => {
    expect(reportFor('backs-off', busy('exact', 400)).first!.message).toBe(
      'video.poll was retried without a wait, twice in a row.',
    )
    expect(reportFor('backs-off', busy('virtual', 400)).verdict).toBe('pass')
  })

  it.each(['virtual', 'wall'] as const)(
    'takes no computing for a wait in %s time, and names the limit',
    (timing) => {
      const { first } = reportFor('backs-off', busy(timing, 60))
      expect(first!.message).toMatch(/without a wait \(less than .*100ms of real time\), twice in a row\.$/)
    },
  )

  it('writes the same message however long the host took', () => {
    const refused = (realMs: number): Made[] => [
      poll(null, { status: 429, retryAfterMs: 10_000, atMs: 0, timing: 'virtual' }),
      poll('queued', { atMs: 0, wallAt: Date.UTC(2030, 0, 1) + realMs, timing: 'virtual' }),
    ]
    const messages = [71, 75].map(
      (realMs) => reportFor('honours-retry-after', refused(realMs)).first!.message,
    )
    expect(messages[0]).toBe(messages[1])
    expect(messages[0]).toContain('retried after 0s of virtual time')
  })

  it('accepts one immediate retry, and waits that grow, stay, jitter, restart or halve twice', () => {
    for (const waits of [
      [16_000, 7_000, 3_000, 2_000],
      [0, 500, 1_000, 2_000],
      [5_000, 5_000, 5_000, 5_000],
      [480, 760, 1_600, 7_900, 6_100, 7_000],
      [500, 1_000, 5_000, 500, 1_000, 5_000],
      [0, 1_000, 0, 1_000],
    ]) {
      let atMs = 0
      const story = [submit(), trouble(0), ...waits.map((wait) => trouble((atMs += wait)))]
      expect(reportFor('backs-off', story).verdict, String(waits)).toBe('pass')
    }
  })

  it('accuses waits that keep shrinking', () => {
    let atMs = 0
    const story = [trouble(0), ...[16_000, 7_000, 3_000, 1_000].map((wait) => trouble((atMs += wait)))]
    expect(reportFor('backs-off', story).first!.message).toContain('shrink')
  })

  it('ignores waits that Retry-After requested', () => {
    const refused = (atMs: number, retryAfterMs: number | null): Made =>
      poll(null, { status: 429, atMs, retryAfterMs })
    const story = [
      refused(0, 60_000),
      refused(60_000, 20_000),
      refused(80_000, 5_000),
      refused(85_000, 1_000),
      refused(86_000, null),
    ]
    expect(reportFor('backs-off', story).verdict).toBe('pass')
  })

  it('accepts an immediate continuation of a partial download', () => {
    const cut = content({ outcome: 'failed', content: 'partial', bytes: 400, atMs: 0 })
    expect(
      reportFor('backs-off', [submit(), cut, cut, cut, content({ status: 206, bytes: 600 })]).verdict,
    ).toBe('not-exercised')
  })
})

describe('no-duplicate-submit', () => {
  it('accuses a new task instead of one whose poll was lost', () => {
    const report = reportFor('no-duplicate-submit', [
      submit(),
      poll(null, lost),
      submit({ task: 'task_2' }),
      poll('SUCCESS', { task: 'task_2' }),
    ])
    expect(report).toMatchObject({ verdict: 'fail', first: { requests: [1, 3] } })
    expect(report.first!.message).toContain('after a poll was lost')
  })

  it('accuses a second task instead of one that was accepted and never polled', () => {
    const report = reportFor('no-duplicate-submit', [
      submit(),
      submit({ task: 'task_2' }),
      poll('queued', { task: 'task_2' }),
    ])
    expect(report.verdict).toBe('fail')
  })

  it('accuses a retry of a submission that the client aborted', () => {
    const report = reportFor('no-duplicate-submit', [
      submit({ outcome: 'aborted', bytes: 0 }),
      submit({ task: 'task_2' }),
      poll('SUCCESS', { task: 'task_2' }),
    ])
    expect(report).toMatchObject({ verdict: 'fail', violations: 1, first: { requests: [1, 2] } })
    expect(report.first!.message).toContain('aborted #1')
  })

  it('accuses each retry of a client that never waits long enough, even if it polls no task', () => {
    const abandoned = { outcome: 'aborted', bytes: 0 } as const
    const report = reportFor('no-duplicate-submit', [
      submit(abandoned),
      submit({ ...abandoned, task: 'task_2' }),
      { ...submit(), task: null, status: 429 },
      submit({ ...abandoned, task: 'task_3', fault: 'slow-start' }),
    ])
    expect(report).toMatchObject({ verdict: 'fail', violations: 2, first: { requests: [1, 2] } })
  })

  it.each<[string, Made]>([
    ['was reset', { outcome: 'failed', bytes: 0, fault: 'reset' }],
    ['never came', { outcome: 'aborted', bytes: 0, fault: 'hang' }],
    ['was not JSON', { fault: 'invalid-json' }],
  ])('only reports a retry of a submission whose response %s', (_how, made) => {
    const report = reportFor('no-duplicate-submit', [
      submit(made),
      submit({ task: 'task_2' }),
      poll('SUCCESS', { task: 'task_2' }),
    ])
    expect(report).toMatchObject({
      verdict: 'pass',
      violations: 0,
      doubtful: { count: 1, first: { requests: [1, 2] } },
    })
  })

  it.each<[string, Made[]]>([
    ['another user wants it', [submit({ outcome: 'aborted' }), submit({ task: 'b', key: 'sk-other' })]],
    [
      'a list shows the task of a submission that the client stopped waiting for',
      [submit({ outcome: 'aborted' }), submit({ task: 'b' }), { operation: 'videos.list' }],
    ],
    [
      'a task comes back through the list',
      [submit({ outcome: 'aborted' }), submit({ task: 'b' }), poll('queued'), poll('queued', { task: 'b' })],
    ],
    ['both are polled', [submit(), submit({ task: 'b' }), poll('queued', { task: 'b' }), poll('queued')]],
    ['the answer was lost', [submit(lost), submit({ task: 'b' }), poll('queued', { task: 'b' })]],
    [
      'the poll was lost and repeated',
      [submit(), poll(null, lost), submit({ task: 'b' }), poll('queued', { task: 'b' }), poll('queued')],
    ],
    [
      'the first is done with',
      [submit(), poll('SUCCESS'), submit({ task: 'b' }), poll('queued', { task: 'b' })],
    ],
    [
      'the first was given up after good answers',
      [submit(), poll('queued'), submit({ task: 'b' }), poll('queued', { task: 'b' })],
    ],
    [
      'a list shows both',
      [submit(), submit({ task: 'b' }), poll('queued', { task: 'b' }), { operation: 'mj.list' }],
    ],
    [
      'a hook reports on it',
      [
        submit(),
        submit({ task: 'b' }),
        poll('queued', { task: 'b' }),
        { operation: 'mj.notify', task: 'task_1' },
      ],
    ],
    ['neither is polled', [submit(), submit({ task: 'b' })]],
    ['it is another', [submit(), submit({ task: 'b', identity: 'boat' }), poll('queued', { task: 'b' })]],
  ])('lets the same be submitted again when %s', (_when, story) => {
    expect(reportFor('no-duplicate-submit', story).verdict).not.toBe('fail')
  })
})

describe('no-early-download', () => {
  it('accuses a download before the end', () => {
    const early = content({ status: 400, final: false })
    expect(reportFor('no-early-download', [submit(), early])).toMatchObject({
      verdict: 'fail',
      first: { requests: [2] },
    })
  })

  it('accepts downloads of images in progress only after a poll of their task', () => {
    const imagine: Made = { operation: 'mj.imagine', task: 'a' }
    const image: Made = { operation: 'mj.image', task: 'a', status: 400 }
    const fetched: Made = { operation: 'mj.fetch', task: 'a', reportedStatus: 'IN_PROGRESS' }
    expect(reportFor('no-early-download', [imagine, fetched, image]).verdict).toBe('pass')
    expect(reportFor('no-early-download', [imagine, image]).verdict).toBe('fail')
  })

  it('asks the operations of the simulator which downloads are previews', () => {
    const create = { role: 'submit', route: 'POST /own', tasks: 'own' } as const
    const file = { role: 'download', route: 'GET /own/{id}/file', tasks: 'own', task: 'id' } as const
    const names = { flows: [], modelKinds: [], invariants: [], reports: [] }
    const ownWith = (facts: OperationFacts): OperationTable =>
      new OperationTable(
        [
          { name: 'own.create', facts: create },
          { name: 'own.state', facts: { ...file, role: 'poll' } },
          { name: 'own.file', facts },
        ],
        [],
        names,
        { options: {}, quirks: {}, models: {}, steps: {} },
      )
    const own: Made[] = [
      { operation: 'own.create', task: 'a' },
      { operation: 'own.state', task: 'a', reportedStatus: 'working' },
      { operation: 'own.file', task: 'a', status: 400 },
    ]
    expect(reportFor('no-early-download', own, {}, ownWith(file)).verdict).toBe('fail')
    const withPreviews = ownWith({ ...file, hasPreviews: true })
    expect(reportFor('no-early-download', own, {}, withPreviews).verdict).toBe('pass')
  })

  it('excuses a client that got a wrong state', () => {
    const early = content({ status: 400, final: false })
    expect(reportFor('no-early-download', [submit(), poll(null, { rules: ['fib'] }), early]).verdict).toBe(
      'pass',
    )
  })

  it('accepts a download after a webhook reported the end', () => {
    expect(reportFor('no-early-download', [submit(), content()]).verdict).toBe('pass')
  })
})

describe('modal-follows-its-action', () => {
  const action: Made = { operation: 'mj.action', task: 'a', parent: 'grid', identity: 'repaint' }
  const waits: Made = { operation: 'mj.fetch', task: 'a', reportedStatus: 'MODAL' }
  const modal: Made = { operation: 'mj.modal', task: 'a', parent: 'a', identity: 'confirm' }

  it('accuses a client that keeps polling and never answers', () => {
    const report = reportFor('modal-follows-its-action', [action, waits, waits, waits, waits])
    expect(report).toMatchObject({ verdict: 'fail', first: { requests: [2, 3, 4] } })
  })

  it('accepts a late answer to a dialog, a second one after a loss, and none', () => {
    expect(reportFor('modal-follows-its-action', [action, waits, waits, waits, modal]).verdict).toBe('pass')
    expect(reportFor('modal-follows-its-action', [action, { ...modal, ...lost }, modal]).verdict).toBe('pass')
    expect(reportFor('modal-follows-its-action', [action, waits]).verdict).toBe('pass')
  })

  it('accuses an answer without a dialog', () => {
    const nowhere: Made = { ...modal, task: null, parent: null, status: 400 }
    expect(reportFor('modal-follows-its-action', [nowhere]).verdict).toBe('fail')
    expect(
      reportFor('modal-follows-its-action', [action, { ...waits, reportedStatus: 'SUCCESS' }, modal]).verdict,
    ).toBe('fail')
  })
})

describe('reads-stream-to-end', () => {
  const stream = (ended: 'finished' | 'error' | 'cut' | 'aborted', chunks = 8): Made =>
    chat({ stream: { chunks, ended }, outcome: ended === 'aborted' ? 'aborted' : 'completed' })

  it.each(['error', 'cut'] as const)(
    'accuses a client that accepts a stream with %s as complete',
    (ended) => {
      const report = reportFor('reads-stream-to-end', [stream(ended)])
      expect(report).toMatchObject({ verdict: 'fail', first: { requests: [1] } })
      expect(report.first!.message).toContain('after 8 chunks')
    },
  )

  it('accepts a repeat, three tries, an abort and a complete stream', () => {
    expect(reportFor('reads-stream-to-end', [stream('cut'), stream('finished')]).verdict).toBe('pass')
    expect(reportFor('reads-stream-to-end', [stream('cut'), stream('error'), stream('cut')]).verdict).toBe(
      'pass',
    )
    expect(reportFor('reads-stream-to-end', [stream('finished')])).toMatchObject({
      verdict: 'pass',
      exercised: 1,
    })
    expect(reportFor('reads-stream-to-end', [stream('aborted')]).verdict).toBe('not-exercised')
  })

  it('accepts the same prompt as a repeat, in another request, but no other prompt', () => {
    const cut = { ...stream('cut'), prompt: 'Why?' }
    const other = { ...stream('finished'), identity: 'other', prompt: 'Why?' }
    expect(reportFor('reads-stream-to-end', [cut, other]).verdict).toBe('pass')
    expect(reportFor('reads-stream-to-end', [cut, { ...other, prompt: 'Who?' }]).verdict).toBe('fail')
  })

  it('accepts a client that ends with an error, but not one that succeeds', () => {
    const story = new Story()
    story.add(stream('cut'))
    story.watch.end = 'failed'
    expect(story.invariant('reads-stream-to-end')!.verdict).toBe('pass')
    story.watch.end = 'succeeded'
    expect(story.invariant('reads-stream-to-end')!.verdict).toBe('fail')
  })

  it('does not accept another stream as a repeat', () => {
    expect(
      reportFor('reads-stream-to-end', [stream('cut'), { ...stream('finished'), identity: 'other' }]).verdict,
    ).toBe('fail')
  })
})

describe('ends-tool-loop', () => {
  const round = (number: number, more: Made = {}): Made =>
    chat({ prompt: 'What is the weather?', identity: `round ${number}`, toolCalls: ['weather'], ...more })
  const rounds = (count: number): Made[] => Array.from({ length: count }, (_, index) => round(index))

  it('accuses a client that answers tool calls without end', () => {
    const report = reportFor('ends-tool-loop', rounds(60))
    expect(report).toMatchObject({ verdict: 'fail', violations: 1, first: { requests: [51] } })
    expect(report.first!.message).toBe(
      'chat.complete called weather in round 51 of tool calls for one prompt.',
    )
  })

  it('accepts fifty rounds, and as many again after an answer', () => {
    const answered = chat({ prompt: 'What is the weather?', identity: 'answered' })
    const again = rounds(50).map((made) => ({ ...made, identity: `again ${made.identity}` }))
    expect(reportFor('ends-tool-loop', [...rounds(50), answered, ...again]).verdict).toBe('pass')
  })

  it('counts equal requests as one round', () => {
    const report = reportFor(
      'ends-tool-loop',
      rounds(100).map((made) => ({ ...made, identity: 'the same' })),
    )
    expect(report.verdict).toBe('pass')
  })

  it('starts to count again when the client was started again', () => {
    const story = new Story({ always: ['ends-tool-loop'] })
    for (const made of rounds(50)) story.add(made)
    story.watch.restarted()
    for (const made of rounds(50)) story.add(made)
    expect(story.invariant('ends-tool-loop').verdict).toBe('pass')
  })

  it('tells conversations apart by their prompts', () => {
    const report = reportFor(
      'ends-tool-loop',
      rounds(100).map((made, index) => ({ ...made, prompt: `question ${index % 2}` })),
    )
    expect(report.verdict).toBe('pass')
  })
})

describe('no-abandoned-task', () => {
  const expected = { always: ['no-abandoned-task'] } as const
  const reportAtEnd = (exchanges: readonly Made[], end?: 'succeeded' | 'failed') => {
    const story = new Story(end === undefined ? { always: ['no-abandoned-task'] } : {})
    for (const made of exchanges) story.add(made)
    story.watch.end = end
    return story.invariant('no-abandoned-task')
  }

  it('accuses a client that ends while its task runs', () => {
    const report = reportAtEnd([submit(), poll('queued'), poll('IN_PROGRESS')], 'succeeded')
    expect(report).toMatchObject({ verdict: 'fail', violations: 1, first: { requests: [1, 3] } })
  })

  it('accepts a task whose end a poll, a download or a webhook has reported', () => {
    needs('mj.imagine')
    const reported: Made = {
      operation: 'mj.notify',
      task: 'task_1',
      reportedStatus: 'SUCCESS',
    }
    for (const last of [poll('SUCCESS'), poll('FAILURE'), content({ final: true })])
      expect(reportAtEnd([submit(), last], 'succeeded').verdict).toBe('pass')
    const inTime = { ...reported, outcome: 'completed' } as const
    const tooLate = { ...reported, outcome: 'aborted', status: 0 } as const
    for (const made of [inTime, tooLate]) {
      const story = new Story({ always: ['no-abandoned-task'] })
      story.add(submit())
      story.add(made)
      expect(story.invariant('no-abandoned-task').verdict).toBe('pass')
    }
  })

  it('accepts a task that the client has cancelled, but not one whose cancellation was refused', () => {
    const cancel: Made = { operation: 'videos.delete', method: 'DELETE', task: 'task_1' }
    expect(reportAtEnd([submit(), cancel], 'succeeded').verdict).toBe('pass')
    expect(reportAtEnd([submit(), { ...cancel, status: 400 }], 'succeeded').verdict).toBe('fail')
  })

  it('accuses a client whose last poll, with the end, was lost', () => {
    expect(reportAtEnd([submit(), poll('SUCCESS', lost)], 'succeeded').verdict).toBe('fail')
  })

  it('accepts a client that ends with an error', () => {
    expect(reportAtEnd([submit(), poll('queued')], 'failed').verdict).toBe('pass')
  })

  it('knows nothing of tasks that cost nothing, or of which the client never heard', () => {
    expect(reportAtEnd([submit({ quota: 0 })], 'succeeded').verdict).toBe('not-exercised')
    expect(reportAtEnd([submit({ ...lost, status: 200 })], 'succeeded').verdict).toBe('not-exercised')
  })

  it('accepts a dialog that was left open, and a listing after the last poll', () => {
    needs('mj.imagine')
    expect(reportAtEnd([submit(), poll('MODAL')], 'succeeded').verdict).toBe('not-exercised')
    const listing: Made = { operation: 'videos.list', method: 'GET' }
    expect(reportAtEnd([submit(), listing], 'succeeded').verdict).toBe('pass')
    expect(reportAtEnd([submit(), listing, poll('queued')], 'succeeded').verdict).toBe('fail')
  })

  it('is judged only if the end of the client is known, or if it is expected by name', () => {
    const story = new Story()
    story.add(submit())
    expect(story.invariant('no-abandoned-task')).toBeUndefined()
    expect(
      reportFor('no-abandoned-task', [submit()], { ...expected, always: [...expected.always] }).verdict,
    ).toBe('fail')
  })

  it('is not judged if the scenario allows it', () => {
    const story = new Story({ allow: { abandonedTasks: true } })
    story.add(submit())
    story.watch.end = 'succeeded'
    expect(story.invariant('no-abandoned-task')).toBeUndefined()
  })
})
