import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../../src/index.ts'
import type { ClientRun } from '../../../src/judge/runs/client-run.ts'
import { shrinkPair } from '../../../src/judge/explore/confirm.ts'
import { crashInjections, injections } from '../../../src/judge/runs/injections.ts'
import { canListTasks, findPlaces } from '../../../src/judge/runs/places.ts'
import {
  createSelection,
  listPairs,
  listSingles,
  nameSchedule,
  scenarioOfSchedule,
  selectorProblem,
  toRules,
  withCrashes,
  type Base,
  type Schedule,
} from '../../../src/judge/runs/schedules.ts'
import { chat, content, placeOf, poll, Story, submit, type Made } from '../entries.ts'

const runOf = (exchanges: readonly Made[]): Pick<ClientRun, 'exchanges' | 'operations'> => {
  const story = new Story()
  for (const made of exchanges) story.add(made)
  return { exchanges: story.entries, operations: story.operations }
}

const whole = runOf([
  submit(),
  poll('queued', { atMs: 5_000 }),
  poll('queued', { atMs: 10_000 }),
  poll('IN_PROGRESS', { atMs: 15_000 }),
  poll('SUCCESS', { atMs: 20_000 }),
  content({ sendsFile: true }),
  chat({ stream: { chunks: 3, ended: 'finished' } }),
  chat({ canCallTools: true }),
  chat(),
  { operation: 'models.list' },
  { operation: null, path: '/stray' },
])

const all = [...injections, ...crashInjections]
const places = findPlaces(whole)

function scheduleOf(...faults: readonly (readonly [id: string, place: string])[]): Schedule {
  const parts = faults.map(([id, name]) => ({
    injection: all.find((each) => each.id === id)!,
    place: placeOf(places, (place) => place.name === name),
  }))
  return { name: nameSchedule(parts), parts }
}

it('finds a place for each kind of request, and names like ones once', () => {
  expect(
    places.map(({ name, kind, nth, nthOfState, isFinal, canCallTools }) =>
      [name, kind, nth, nthOfState ?? '-', isFinal, canCallTools].join(' '),
    ),
  ).toEqual([
    'video.submit submit 1 - false false',
    'video.poll queued poll 1 1 false false',
    'video.poll IN_PROGRESS poll 3 1 false false',
    'video.poll done poll 4 1 true false',
    'video.content download 1 - false false',
    'chat.complete first stream 1 - false false',
    'chat.complete middle text 2 - false true',
    'chat.complete last text 3 - false false',
    'models.list read 1 - false false',
  ])
})

it('knows where a list tells which tasks there are', () => {
  const { operations } = whole
  const names = operations.names.filter((name) => operations.roleOf(name) === 'submit')
  const listed = (config: Scenario['config']): string[] =>
    names.filter((name) => canListTasks(name, operations, { version: 1, ...(config && { config }) }))
  expect(listed(undefined)).toEqual([])
  const video = listed({ video: { listAndDelete: true } })
  expect(video).toEqual(['video.submit', 'videos.create', 'videos.remix'])
  expect(listed({ video: { listAndDelete: false } })).toEqual([])
  expect(canListTasks('chat.complete', operations)).toBe(false)
  expect(canListTasks('unknown', operations)).toBe(false)
})

describe('a selection', () => {
  const part = { injection: { id: '503', family: 'server error' }, place: { operation: 'video.poll' } }

  it.each([
    [[], [], true],
    [['503'], [], true],
    [['server error'], [], true],
    [['video.*'], [], true],
    [['429', 'mj.*'], [], false],
    [[], ['503'], false],
    [['video.*'], ['server error'], false],
    [['video.*'], ['mj.*'], true],
  ])('of only %j, without %j, has a part: %s', (only, skip, isSelected) => {
    expect(createSelection(only, skip)(part)).toBe(isSelected)
  })

  it('may not select nothing', () => {
    expect([selectorProblem(['video.*', 'gateway', 'rate limit', '503', 'crash', 'CRLF events'])]).toEqual([
      undefined,
    ])
    expect(selectorProblem(['502'])).toContain('selects nothing (did you mean "502 page"?)')
    expect(selectorProblem(['503,reset'])).toContain('(give "503" and "reset" each by itself)')
    expect([selectorProblem(['503', 'rate limits'])]).toEqual([
      'is "rate limits", which selects nothing (did you mean "rate limit"?): write an operation such as video.*, a fault such as 503, or a family: rate limit, server error, outage, bytes, network, corrupt bytes, slowness, forged callback, silence, order of callbacks, lost callback, redirects, stale, repeated callback, ended early, stream, tool loop, answer lost, idempotency key, key revoked, refused for good, gone, task fails, task stuck, crash, gateway.',
    ])
  })
})

describe('the schedules of a search', () => {
  const select = createSelection(['server error', 'corrupt bytes', 'tool loop', 'gateway'], [])

  it('are variants, then the mildest of each family, then the others', () => {
    const variants = [
      { id: 'CRLF', operation: 'chat.complete', advice: '' },
      { id: 'other', operation: 'mj.fetch', advice: '' },
    ]
    expect(listSingles(whole, select, all, variants).map(({ name }) => name)).toEqual([
      'CRLF',
      '503 @ video.submit',
      '503 @ video.poll queued',
      '503 @ video.poll IN_PROGRESS',
      '503 @ video.poll done',
      '503 @ video.content',
      '503 @ chat.complete first',
      '503 @ chat.complete middle',
      '503 @ chat.complete last',
      '503 @ models.list',
      'corrupt @ video.content',
      'tool loop @ chat.complete middle',
      '500 @ video.submit',
      '500 @ video.poll queued',
      '500 @ video.poll IN_PROGRESS',
      '500 @ video.poll done',
      '500 @ video.content',
      '500 @ chat.complete first',
      '500 @ chat.complete middle',
      '500 @ chat.complete last',
      '500 @ models.list',
      '502 page @ video.submit',
      '502 page @ video.poll queued',
      '502 page @ video.poll IN_PROGRESS',
      '502 page @ video.poll done',
      '502 page @ video.content',
      '502 page @ chat.complete first',
      '502 page @ chat.complete middle',
      '502 page @ chat.complete last',
      '502 page @ models.list',
      '503 thrice @ video.submit',
      '503 thrice @ video.poll queued',
      '503 thrice @ video.poll IN_PROGRESS',
      '503 thrice @ video.poll done',
      '503 thrice @ video.content',
      '503 thrice @ chat.complete first',
      '503 thrice @ chat.complete middle',
      '503 thrice @ chat.complete last',
      '503 thrice @ models.list',
    ])
    const none = createSelection(['tool loop'], [])
    expect(listSingles(whole, none, all, variants).map(({ name }) => name)).toEqual([
      'tool loop @ chat.complete middle',
    ])
  })

  it('say what a client may do, as a payment may have been accepted', () => {
    const selected = createSelection(
      ['slow 40s', 'queue 4m', 'reset', 'hang', 'crash', 'corrupt', 'answer lost', 'login page'],
      ['video.poll', 'models.list'],
    )
    const singles = listSingles(whole, selected, all, [])
    expect(singles.map(({ name, parts }) => `${name}: ${parts[0]!.injection.expected}`)).toEqual([
      'login page @ video.submit: either',
      'login page @ video.content: survive',
      'login page @ chat.complete middle: either',
      'login page @ chat.complete last: either',
      'corrupt @ video.content: either',
      'hang @ video.submit: either',
      'hang @ video.content: either',
      'hang @ chat.complete first: either',
      'hang @ chat.complete middle: either',
      'hang @ chat.complete last: either',
      'reset @ video.submit: either',
      'reset @ video.content: survive',
      'reset @ chat.complete first: either',
      'reset @ chat.complete middle: either',
      'reset @ chat.complete last: either',
      'slow 40s @ video.submit: either',
      'slow 40s @ video.content: survive',
      'slow 40s @ chat.complete first: either',
      'slow 40s @ chat.complete middle: either',
      'slow 40s @ chat.complete last: either',
      'answer lost @ video.submit: either',
      'crash @ video.submit: either',
      'crash @ video.content: survive',
      'crash @ chat.complete first: either',
      'crash @ chat.complete middle: either',
      'crash @ chat.complete last: either',
      'queue 4m @ video.submit: survive',
      'crash after @ video.submit: either',
      'crash after @ video.content: survive',
      'crash after @ chat.complete first: either',
      'crash after @ chat.complete middle: either',
      'crash after @ chat.complete last: either',
    ])
  })

  it('are pairs of what the client survived, at different requests, spread evenly', () => {
    const survived = [
      ['503', 'video.poll queued'],
      ['500', 'video.poll queued'],
      ['corrupt', 'video.content'],
      ['429', 'video.submit'],
      ['429', 'video.poll queued'],
      ['401', 'video.submit'],
      ['hang', 'video.submit'],
    ].map(([id, place]) => scheduleOf([id!, place!]).parts[0]!)
    expect(listPairs(survived).map(({ name }) => name)).toEqual([
      '503 @ video.poll queued + corrupt @ video.content',
      '429 @ video.submit + 429 @ video.poll queued',
      'corrupt @ video.content + 429 @ video.submit',
      '503 @ video.poll queued + 429 @ video.submit',
      'corrupt @ video.content + 429 @ video.poll queued',
    ])
    expect(listPairs([])).toEqual([])
    expect(listPairs(survived.slice(0, 1))).toEqual([])
  })
})

describe('the rules of a schedule', () => {
  it.each<[string, string, unknown[]]>([
    [
      '503',
      'video.submit',
      [{ id: 'fault-503', match: { op: 'video.submit' }, on: 1, respond: { status: 503 } }],
    ],
    [
      '503',
      'video.poll IN_PROGRESS',
      [
        {
          id: 'fault-503',
          match: { op: 'video.poll', state: 'IN_PROGRESS' },
          on: 1,
          respond: { status: 503 },
        },
      ],
    ],
    [
      '503',
      'video.poll done',
      [{ id: 'fault-503', match: { op: 'video.poll' }, on: 4, respond: { status: 503 } }],
    ],
    [
      '503 thrice',
      'video.poll queued',
      [
        {
          id: 'fault-503-thrice',
          match: { op: 'video.poll', state: 'queued' },
          on: [1, 2, 3],
          respond: { status: 503 },
        },
      ],
    ],
    [
      '503 for good',
      'video.poll done',
      [{ id: 'fault-503-for-good', match: { op: 'video.poll' }, from: 4, respond: { status: 503 } }],
    ],
    [
      '503 for good',
      'video.submit',
      [{ id: 'fault-503-for-good', match: { op: 'video.submit' }, respond: { status: 503 } }],
    ],
    [
      'slow 40s',
      'chat.complete last',
      [{ id: 'fault-slow-40s', match: { op: 'chat.complete' }, on: 3, delay: '40s', continue: true }],
    ],
    [
      'cut stream',
      'chat.complete first',
      [
        {
          id: 'fault-cut-stream',
          match: { op: 'chat.complete' },
          on: 1,
          stream: {
            chunk: 'word',
            cut: { afterChunk: 2 },
          },
          continue: true,
        },
      ],
    ],
    [
      'slow stream',
      'chat.complete first',
      [
        {
          id: 'fault-slow-stream',
          match: { op: 'chat.complete' },
          on: 1,
          stream: {
            chunk: 'word',
            gap: '12s',
          },
          continue: true,
        },
      ],
    ],
    [
      'max tokens',
      'chat.complete first',
      [
        {
          id: 'fault-max-tokens',
          match: { op: 'chat.complete' },
          on: 1,
          stream: {
            chunk: 'word',
            finishReason: 'length',
          },
          continue: true,
        },
      ],
    ],
    [
      'tool loop',
      'chat.complete middle',
      [
        {
          id: 'fault-tool-loop',
          match: { op: 'chat.complete' },
          from: 2,
          answer: { calls: 'always' },
          continue: true,
        },
      ],
    ],
    [
      'new status',
      'video.poll queued',
      [
        {
          id: 'fault-new-status',
          match: { op: 'video.poll', state: 'queued' },
          on: 1,
          respond: { body: { code: 'success', message: '', data: { status: 'MODERATING', progress: '7%' } } },
        },
      ],
    ],
    [
      'fails',
      'video.submit',
      [
        {
          id: 'fault-fails',
          match: { op: 'video.submit' },
          on: 1,
          task: {
            queued: '5s',
            render: '20s',
            outcome: 'failure',
            failAt: '60%',
            reason: 'content policy: prompt rejected',
          },
        },
      ],
    ],
    [
      'no reason',
      'video.submit',
      [
        {
          id: 'fault-no-reason',
          match: { op: 'video.submit' },
          on: 1,
          task: { queued: '5s', render: '20s', outcome: 'failure', failAt: '60%', reason: '' },
        },
      ],
    ],
    [
      'fails at 100%',
      'video.submit',
      [
        {
          id: 'fault-fails-at-100-',
          match: { op: 'video.submit' },
          on: 1,
          task: {
            timeline: [
              { after: '5s', status: 'IN_PROGRESS', progress: '50%' },
              { after: '20s', status: 'FAILURE', progress: '100%' },
            ],
            reason: 'upload failed',
          },
        },
      ],
    ],
    [
      'stuck',
      'video.submit',
      [{ id: 'fault-stuck', match: { op: 'video.submit' }, on: 1, task: { queued: 'forever' } }],
    ],
    ['crash', 'video.submit', []],
  ])('carry out %s at %s', (id, place, rules) => {
    expect(toRules(scheduleOf([id, place]))).toEqual(rules)
  })

  it('are those of the variant', () => {
    const rules = [
      { id: 'fault-expired-link', match: { op: 'video.content' as const }, respond: { status: 403 } },
    ]
    const variant = { id: 'a variant', operation: 'video.content', advice: '', rules }
    expect(toRules({ name: 'a variant', parts: [], variant })).toEqual(rules)
  })

  it('come with a second one where all later polls are concerned', () => {
    const drawing = runOf([submit({ operation: 'mj.imagine', task: 'drawing_1' })])
    const singles = listSingles(drawing, createSelection(['reason absent', 'full queue'], []), all, [])
    expect(singles.map((each) => toRules(each))).toEqual([
      [
        {
          id: 'fault-reason-absent',
          match: { op: 'mj.imagine' },
          on: 1,
          task: { queued: '5s', render: '20s', outcome: 'failure', failAt: '60%', reason: '' },
        },
        { id: 'fault-reason-absent-later', match: { op: 'mj.fetch' }, respond: { omit: ['failReason'] } },
      ],
    ])
  })

  it('are not needed for a crash, which the scenario names', () => {
    const pair = scheduleOf(['crash after', 'video.submit'], ['crash', 'chat.complete last'])
    const crash = [{ op: 'video.poll', nth: 2 }] as const
    expect(withCrashes(pair, { version: 1, crash } as unknown as Scenario)).toEqual({
      crash: [
        { op: 'video.poll', nth: 2 },
        { op: 'video.submit', nth: 1, accepted: true },
        { op: 'chat.complete', nth: 3 },
      ],
    })
    expect(withCrashes(scheduleOf(['503', 'video.submit']), { version: 1 })).toEqual({})
  })
})

it('plays a schedule over the scenario of the user', () => {
  const rule = { id: 'mine', optional: true, match: { op: 'models.list' }, respond: { status: 503 } }
  const scenario = { version: 1, seed: 7, rules: [rule] } as unknown as Scenario
  const base: Base = { scenario, hasComparableTexts: true, expect: { within: '1h' }, maxVirtualMs: 1 }
  const of = (more: Partial<Base> = {}): unknown => {
    const { clock: _real, ...rest } = scenarioOfSchedule(scheduleOf(['503', 'video.submit']), {
      ...base,
      ...more,
    })
    return rest
  }
  expect([of()]).toEqual([
    {
      version: 1,
      seed: 7,
      config: { text: { mode: 'multibyte' } },
      rules: [
        { id: 'fault-503', match: { op: 'video.submit' }, on: 1, respond: { status: 503 } },
        { id: 'mine', optional: true, match: { op: 'models.list' }, respond: { status: 503 } },
      ],
      name: '503 @ video.submit',
      expect: { within: '1h' },
    },
  ])
  expect(of({ hasComparableTexts: false, scenario: { version: 1 } })).toMatchObject({
    rules: [{ id: 'fault-503' }],
  })
})

describe('a pair', () => {
  const found = {
    habit: 'crashes',
    severity: 'gave up',
    operation: 'any',
    family: 'any',
    detail: 'a detail',
  } as const
  const shrink = async (pair: Schedule, showsMistake: (schedule: Schedule) => boolean, habit = 'crashes') => {
    const tried: string[] = []
    const simplest = await shrinkPair({ habit, schedule: pair }, async (schedule) => {
      tried.push(schedule.name)
      return { mistakes: showsMistake(schedule) ? [found] : [], trace: `trace of ${schedule.name}` }
    })
    return { tried, simplest }
  }
  const pair = scheduleOf(['503 thrice', 'video.poll queued'], ['500', 'video.submit'])

  it('is simplified to one of the two, and that to the mildest of its family', async () => {
    const { tried, simplest } = await shrink(pair, ({ name }) => name.includes('video.poll'))
    expect(tried).toEqual(['500 @ video.submit', '503 thrice @ video.poll queued', '503 @ video.poll queued'])
    expect(simplest).toMatchObject({
      ...found,
      trace: 'trace of 503 @ video.poll queued',
      schedule: {
        name: '503 @ video.poll queued',
        parts: [{ injection: { id: '503', expected: 'survive' } }],
      },
    })
  })

  it('stays as it is if nothing simpler shows the same mistake', async () => {
    const { tried, simplest } = await shrink(pair, () => false)
    expect([simplest]).toEqual([undefined])
    expect(tried).toEqual([
      '500 @ video.submit',
      '503 thrice @ video.poll queued',
      '503 @ video.poll queued + 500 @ video.submit',
      '500 @ video.poll queued + 500 @ video.submit',
      '502 page @ video.poll queued + 500 @ video.submit',
      '503 thrice @ video.poll queued + 503 @ video.submit',
    ])
    expect((await shrink(pair, () => true, 'another habit')).simplest).toBeUndefined()
  })

  it('becomes a pair with a milder fault if both are needed, which expects the same', async () => {
    const { simplest } = await shrink(pair, ({ parts }) => parts.length === 2)
    expect(simplest!.schedule.name).toBe('503 @ video.poll queued + 503 @ video.submit')
    const [crash] = scheduleOf(['crash after', 'video.submit']).parts
    const either = { ...crash!, injection: { ...crash!.injection, expected: 'either' as const } }
    const milder = await shrink({ name: 'a crash', parts: [either] }, () => true)
    expect(milder.simplest).toMatchObject({
      schedule: { name: 'crash @ video.submit', parts: [{ injection: { id: 'crash', expected: 'either' } }] },
    })
  })

  it('is not simplified further once the search is interrupted', async () => {
    expect([await shrinkPair({ habit: 'crashes', schedule: pair }, async () => undefined)]).toEqual([
      undefined,
    ])
  })
})
