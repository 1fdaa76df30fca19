import { describe, expect, it } from 'vitest'
import { Aliases } from '../../../src/judge/recording/aliases.ts'
import { ObservedApis } from '../../../src/judge/recording/observed-apis.ts'
import type { ObservedExchange } from '../../../src/judge/recording/observed.ts'
import { scenarioOfRecording } from '../../../src/judge/recording/to-scenario.ts'
import { removeKeys, toTemplate, withoutSplitKeys } from '../../../src/judge/recording/to-template.ts'

const json = { 'content-type': 'application/json' }

function exchange(
  method: string,
  path: string,
  atMs: number,
  body: unknown,
  more: Partial<ObservedExchange> = {},
): ObservedExchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const received = text === '' ? [] : [{ atMs, text }]
  return {
    method,
    path,
    atMs,
    headersAtMs: atMs,
    status: 200,
    headers: json,
    sent: {},
    key: 'sk-mine',
    received,
    bytes: text.length,
    ...more,
  }
}

const video = { sent: { model: 'video-1', prompt: 'a red kite' } }
const submit = (id: string, atMs: number, more: Partial<ObservedExchange> = {}): ObservedExchange =>
  exchange(
    'POST',
    '/v1/video/generations',
    atMs,
    { task_id: id, prompt: 'a red kite' },
    { ...video, ...more },
  )
const poll = (id: string, atMs: number, status: string, progress?: string, reason = ''): ObservedExchange =>
  exchange('GET', `/v1/video/generations/${id}`, atMs, {
    code: 'success',
    data: { task_id: id, status, progress, fail_reason: reason },
  })

const rulesOf = (exchanges: readonly ObservedExchange[], prompts = true): unknown =>
  scenarioOfRecording(exchanges, { name: 'recorded', prompts }).rules ?? []

describe('the rules of a recording', () => {
  it.each<[string, readonly ObservedExchange[], unknown[]]>([
    [
      'the states between polls',
      [
        submit('task_a', 0),
        poll('task_a', 10_000, 'queued', '0%'),
        poll('task_a', 20_000, 'IN_PROGRESS', '30%'),
        poll('task_a', 30_000, 'IN_PROGRESS', '70%'),
        poll('task_a', 41_001, 'SUCCESS', '100%'),
        poll('task_a', 50_000, 'SUCCESS', '100%'),
      ],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          task: {
            timeline: [
              { after: '0ms', status: 'queued', progress: '0%' },
              { after: '15s', status: 'IN_PROGRESS', progress: '30%' },
              { after: '25s', progress: '70%' },
              { after: '35501ms', status: 'SUCCESS' },
            ],
          },
        },
      ],
    ],
    [
      'a work state that no poll saw',
      [submit('task_a', 0), poll('task_a', 10_000, 'SUCCESS')],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          task: {
            timeline: [
              { after: '2500ms', status: 'IN_PROGRESS' },
              { after: '5000ms', status: 'SUCCESS' },
            ],
          },
        },
      ],
    ],
    [
      'a failure with its reason',
      [
        submit('task_a', 0),
        poll('task_a', 8_000, 'IN_PROGRESS', '150%'),
        poll('task_a', 12_000, 'FAILURE', '40%', 'task_a: sk-0123456789abcdef0123 is refused'),
      ],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          task: {
            timeline: [
              { after: '4000ms', status: 'IN_PROGRESS' },
              { after: '10s', status: 'FAILURE' },
            ],
            reason: 'task_a: sk-alias is refused',
          },
        },
      ],
    ],
    [
      'each task by its number',
      [
        submit('task_a', 0),
        submit('task_b', 1_000),
        poll('task_b', 10_000, 'queued'),
        poll('task_a', 11_000, 'SUCCESS'),
      ],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          task: {
            timeline: [
              { after: '2750ms', status: 'IN_PROGRESS' },
              { after: '5500ms', status: 'SUCCESS' },
            ],
          },
        },
        {
          id: 'video.submit-2',
          optional: true,
          match: { op: 'video.submit' },
          on: 2,
          task: { timeline: [{ after: '0ms', status: 'queued' }] },
        },
      ],
    ],
    ['nothing of a task without polls', [submit('task_a', 0)], []],
    [
      'nothing of an unknown path, or of a request that the client left',
      [
        exchange('GET', '/unknown', 0, {}),
        submit('task_a', 0, { broken: 'client', status: undefined as never }),
      ],
      [],
    ],
    [
      'a lost response',
      [
        submit('task_a', 0, { status: undefined as never, headersAtMs: undefined as never, broken: 'reset' }),
        submit('task_a', 0, { status: undefined as never, headersAtMs: 500, broken: 'close' }),
      ],
      [
        { id: 'video.submit-1', optional: true, match: { op: 'video.submit' }, on: 1, fault: 'reset' },
        {
          id: 'video.submit-2',
          optional: true,
          match: { op: 'video.submit' },
          on: 2,
          delay: '500ms',
          fault: 'close',
        },
      ],
    ],
    [
      'a refusal in JSON',
      [
        submit('', 0, {
          status: 429,
          headers: { ...json, 'retry-after': '20' },
          headersAtMs: 12_500,
          received: [{ atMs: 0, text: '{"error":{"message":"slow down"}}' }],
        }),
      ],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          delay: '12500ms',
          respond: { status: 429, retryAfter: '20s', body: { error: { message: 'slow down' } } },
        },
      ],
    ],
    [
      'a refusal as text',
      [
        submit('', 0, {
          status: 502,
          headers: { 'content-type': 'text/html; ü', 'retry-after': 'Fri, 01 Jan' },
          received: [{ atMs: 0, text: '<h1>502</h1>' }],
        }),
      ],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          respond: { status: 502, headers: { 'content-type': 'text/html; ' }, body: '<h1>502</h1>' },
        },
      ],
    ],
    [
      'a refusal without a type',
      [submit('', 0, { status: 502, headers: {}, received: [{ atMs: 0, text: 'no' }] })],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          respond: { status: 502, headers: { 'content-type': 'text/plain' }, body: 'no' },
        },
      ],
    ],
    [
      'a refusal without a body',
      [submit('', 0, { status: 500, received: [] })],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          respond: { status: 500 },
        },
      ],
    ],
    [
      'a long refusal',
      [submit('', 0, { status: 500, received: [{ atMs: 0, text: 'x '.repeat(32 * 1024 + 1) }] })],
      [
        {
          id: 'video.submit-1',
          optional: true,
          match: { op: 'video.submit' },
          on: 1,
          respond: { status: 500, headers: { 'content-type': 'application/json' } },
        },
      ],
    ],
    [
      'a broken download',
      [
        exchange('GET', '/v1/videos/task_a/content', 0, '', {
          headers: { 'content-length': '1000' },
          bytes: 333,
          broken: 'reset',
        }),
        exchange('GET', '/v1/videos/task_a/content', 0, '', { headers: {}, bytes: 333, broken: 'close' }),
        exchange('GET', '/v1/videos/task_a/content', 0, '', {
          headers: { 'content-length': '1000' },
          bytes: 0,
          broken: 'close',
        }),
        exchange('GET', '/v1/videos/task_a/content', 0, '', {
          headers: { 'content-length': '1000' },
          bytes: 1_000,
          broken: 'reset',
        }),
      ],
      [
        {
          id: 'video.content-1',
          optional: true,
          match: { op: 'video.content' },
          on: 1,
          fault: { type: 'reset', at: 0.33 },
        },
        {
          id: 'video.content-2',
          optional: true,
          match: { op: 'video.content' },
          on: 2,
          fault: { type: 'truncate', at: 0.5 },
        },
        {
          id: 'video.content-3',
          optional: true,
          match: { op: 'video.content' },
          on: 3,
          fault: { type: 'truncate', at: 0.01 },
        },
        {
          id: 'video.content-4',
          optional: true,
          match: { op: 'video.content' },
          on: 4,
          fault: { type: 'reset', at: 0.99 },
        },
      ],
    ],
    [
      'a list with another status',
      [
        exchange('GET', '/v1/models', 0, { data: [] }, { status: 203 }),
        exchange('GET', '/v1/models', 0, 'no JSON'),
        exchange('GET', '/v1/models', 0, 'null'),
      ],
      [
        {
          id: 'models.list-1',
          optional: true,
          match: { op: 'models.list' },
          on: 1,
          respond: { status: 203, body: { data: [] } },
        },
      ],
    ],
    [
      'templates for the values of its request',
      [
        exchange(
          'POST',
          '/v1/chat/completions',
          0,
          { model: 'a-model', id: 'request_17', text: 'price: ${5} (request id: r-1)' },
          { sent: { model: 'a-model', messages: [] }, headers: { ...json, 'x-request-id': 'request_17' } },
        ),
      ],
      [
        {
          id: 'chat.complete-1',
          optional: true,
          match: { op: 'chat.complete' },
          on: 1,
          respond: {
            body: {
              model: '${model}',
              id: '${request.id}',
              text: 'price: $${5} (request id: ${request.id})',
            },
          },
        },
      ],
    ],
    [
      'templates for the task and the prompt in a refusal',
      [
        submit('task_abc', 0),
        exchange(
          'GET',
          '/v1/video/generations/task_abc',
          5_000,
          { error: 'task_abc is late' },
          { status: 503 },
        ),
        submit('', 6_000, {
          status: 400,
          received: [{ atMs: 0, text: '{"error":"no a red kite by video-1"}' }],
        }),
      ],
      [
        {
          id: 'video.poll-1-1',
          optional: true,
          match: { op: 'video.poll', task: { nth: 1 } },
          on: 1,
          respond: { status: 503, body: { error: '${task.id} is late' } },
        },
        {
          id: 'video.submit-2',
          optional: true,
          match: { op: 'video.submit' },
          on: 2,
          respond: { status: 400, body: { error: 'no ${prompt} by ${model}' } },
        },
      ],
    ],
    [
      'no number for the polls of a task whose submission is missing',
      [
        poll('task_abc', 5_000, 'SUCCESS'),
        exchange('GET', '/v1/video/generations/task_abc', 6_000, { task_id: 'task_abc' }, { status: 503 }),
      ],
      [
        {
          id: 'video.poll-2',
          optional: true,
          match: { op: 'video.poll' },
          on: 2,
          respond: { status: 503, body: { task_id: '${task.id}' } },
        },
      ],
    ],
  ])('have %s', (_what, exchanges, rules) => {
    expect(rulesOf(exchanges)).toEqual(rules)
  })

  it('are at most nine hundred', () => {
    const many = Array.from({ length: 901 }, () => exchange('GET', '/v1/models', 0, {}))
    expect(rulesOf(many)).toHaveLength(900)
  })

  it('are none for media, and the scenario has none then', () => {
    const { rules, ...rest } = scenarioOfRecording([exchange('GET', '/v1/videos/task_a/content', 0, '')], {
      name: 'recorded',
      prompts: true,
      config: { seed: 7 } as never,
    })
    expect(rules).toBeUndefined()
    expect([rest]).toEqual([{ version: 1, name: 'recorded', config: { seed: 7 } }])
  })
})

describe('the steps of a recording', () => {
  const driveOf = (exchanges: readonly ObservedExchange[], prompts = true): unknown =>
    scenarioOfRecording(exchanges, { name: 'recorded', prompts }).drive ?? []
  const chat = (sent: Record<string, unknown>): ObservedExchange =>
    exchange('POST', '/v1/chat/completions', 0, {}, { sent })

  it('are those of the reference client, with their prompts', () => {
    const exchanges = [
      submit('task_a', 0),
      chat({ messages: [{ content: 'first' }, { content: 'Why?' }] }),
      chat({ stream: true, messages: [{ content: [{ text: 'parts' }] }] }),
      exchange(
        'POST',
        '/v1beta/models/a:generateContent',
        0,
        {},
        { sent: { contents: [{ parts: [{ text: 'How?' }] }] } },
      ),
      exchange('POST', '/v1/responses', 0, {}, { sent: { input: 'When?' } }),
      submit('task_b', 0, { status: 201 }),
      exchange('GET', '/v1/models', 0, {}),
    ]
    expect(driveOf(exchanges)).toEqual([
      { flow: 'video', prompt: 'a red kite' },
      { flow: 'chat', prompt: 'Why?' },
      { flow: 'chat-stream' },
      { flow: 'text', prompt: 'How?' },
    ])
    expect(driveOf(exchanges.slice(0, 1), false)).toEqual([{ flow: 'video' }])
  })

  it('are at most twenty, with prompts of ten thousand characters', () => {
    const long = { sent: { model: 'video-1', prompt: 'x'.repeat(10_001) } }
    const steps = driveOf(Array.from({ length: 21 }, () => submit('task_a', 0, long))) as { prompt: string }[]
    expect([steps.length, steps[0]!.prompt.length]).toEqual([20, 10_000])
  })
})

describe('a stream', () => {
  const event = (content: string, more: object = {}): string =>
    `data: ${JSON.stringify({ choices: [{ delta: { content }, ...more }] })}\n\n`
  const streamOf = (
    texts: readonly (readonly [number, string])[],
    more: Partial<ObservedExchange> = {},
  ): unknown =>
    (
      rulesOf([
        exchange('POST', '/v1/chat/completions', 0, '', {
          headers: { 'content-type': 'text/event-stream' },
          received: texts.map(([atMs, text]) => ({ atMs, text })),
          ...more,
        }),
      ]) as { stream: unknown }[]
    )[0]!.stream
  const done = 'data: [DONE]\n\n'

  it.each<[string, readonly (readonly [number, string])[], Partial<ObservedExchange>, unknown[]]>([
    ['is empty', [[10, done]], {}, [{ firstToken: 0 }]],
    [
      'has one chunk',
      [
        [10, event('Yes')],
        [20, done],
      ],
      {},
      [{ text: 'Yes', chunk: 'token', firstToken: '10ms', gap: '0ms' }],
    ],
    [
      'comes by character',
      ['a', 'b', 'c', 'd', 'e', 'f'].map((each, index) => [index * 10, event(each)] as const),
      {},
      [{ text: 'abcdef and so on', chunk: 'character', firstToken: '0ms', gap: '10ms', cut: 6 }],
    ],
    [
      'comes by word',
      [
        [0, event('uninterruptedly')],
        [30, event(' incomprehensible')],
        [60, done],
      ],
      {},
      [{ text: 'uninterruptedly incomprehensible', chunk: 'word', firstToken: '0ms', gap: '30ms' }],
    ],
    [
      'pauses',
      [
        [0, event('a')],
        [10, event(' b')],
        [20, event(' c')],
        [1_020, event(' d')],
        [1_030, done],
      ],
      {},
      [
        {
          text: 'a b c d',
          chunk: 'token',
          firstToken: '0ms',
          gap: '10ms',
          stall: { afterChunk: 3, for: '990ms' },
        },
      ],
    ],
    [
      'pauses shortly',
      [
        [0, event('a')],
        [10, event(' b')],
        [20, event(' c')],
        [270, event(' d')],
        [280, done],
      ],
      {},
      [{ text: 'a b c d', chunk: 'token', firstToken: '0ms', gap: '90ms' }],
    ],
    [
      'ends early',
      [
        [0, event('a', { finish_reason: 'length' })],
        [10, done],
      ],
      {},
      [{ text: 'a', chunk: 'token', firstToken: '0ms', gap: '0ms', finishReason: 'length' }],
    ],
    [
      'ends as usual',
      [[0, event('a', { finish_reason: 'stop' })]],
      {},
      [{ text: 'a', chunk: 'token', firstToken: '0ms', gap: '0ms' }],
    ],
    [
      'reports an error',
      [
        [0, event('a')],
        [10, 'data: {"error":{"code":"overloaded","status":503,"message":"sk-mine is late"}}\n\n'],
      ],
      {},
      [
        {
          text: 'a and so on',
          chunk: 'token',
          firstToken: '0ms',
          gap: '0ms',
          error: { afterChunk: 1, kind: 'event', status: 503, message: 'sk-alias is late' },
        },
      ],
    ],
    [
      'reports an error without words',
      [
        [0, event('a')],
        [10, 'data: {"error":{"code":399}}\n\n'],
      ],
      {},
      [
        {
          text: 'a and so on',
          chunk: 'token',
          firstToken: '0ms',
          gap: '0ms',
          error: { afterChunk: 1, kind: 'event' },
        },
      ],
    ],
    [
      'is no JSON in part',
      [
        [0, event('a')],
        [10, 'data: {\n\ndata: null\n\n'],
        [20, done],
      ],
      {},
      [{ text: 'a', chunk: 'token', firstToken: '0ms', gap: '0ms' }],
    ],
    [
      'closes',
      [[0, event('a')]],
      { broken: 'close' },
      [
        {
          text: 'a and so on',
          chunk: 'token',
          firstToken: '0ms',
          gap: '0ms',
          error: { afterChunk: 1, kind: 'close' },
        },
      ],
    ],
    [
      'was left',
      [[0, event('a')]],
      { broken: 'client' },
      [{ text: 'a and so on', chunk: 'token', firstToken: '0ms', gap: '0ms' }],
    ],
    [
      'comes late',
      [
        [2_000, event('a')],
        [2_010, done],
      ],
      { headersAtMs: 1_000 },
      [{ text: 'a', chunk: 'token', firstToken: '1000ms', gap: '0ms' }],
    ],
  ])('is recorded when it %s', (_what, texts, more, stream) => {
    expect([streamOf(texts, more)]).toEqual(stream)
  })
})

describe('a template', () => {
  const known = {
    texts: [
      ['task_abc', '${task.id}'],
      ['abc', '${short}'],
      [7, '${seven}'],
      [undefined, '${none}'],
    ] as const,
    secrets: ['sk-mine', 'abc'],
    hidden: ['a red kite', '', undefined],
  }

  it.each<[unknown, unknown]>([
    ['task_abc and abc, ${x}', '${task.id} and abc, $${x}'],
    ['(request id: 12-ab)', '(request id: ${request.id})'],
    ['draws a red kite with sk-mine', 'draws … with sk-alias'],
    [
      ['task_abc', 7, null, true, { id: 'task_abc' }],
      ['${task.id}', 7, null, true, { id: '${task.id}' }],
    ],
    ['data:image/png;base64,AAAA', ''],
    [`data:${'x'.repeat(201)};base64,AAAA`, `data:${'x'.repeat(201)};base64,AAAA`],
    ['A'.repeat(257), ''],
    ['A'.repeat(256), 'A'.repeat(256)],
    [`${'A'.repeat(257)} text`, `${'A'.repeat(257)} text`],
    [`text ${'A'.repeat(257)}`, `text ${'A'.repeat(257)}`],
  ])('of %j is %j', (value, template) => {
    expect(toTemplate(value, known)).toEqual(template)
  })

  it('has no variables where none are read', () => {
    expect(toTemplate(['task_abc ${x} (request id: 1) a red kite'], known, false)).toEqual([
      'task_abc ${x} (request id: 1) …',
    ])
  })

  it.each([
    ['sk-0123456789abcdef', 'sk-alias'],
    [
      'pk_0123456789abcdef rk-0123456789abcdef key0123456789abcdef AIza0123456789abcdef',
      'sk-alias sk-alias sk-alias sk-alias',
    ],
    ['sk-short1', 'sk-alias'],
    ['sk-learn and sk-abc', 'sk-learn and sk-abc'],
    ['asterisk-0123456789abcdef', 'asterisk-0123456789abcdef'],
  ])('has no key of %s', (text, rest) => {
    expect(removeKeys(text, [])).toBe(rest)
  })

  it('has no secret of a URL', () => {
    const url = 'https://a.example/?token=secret&n=1'
    expect(removeKeys(url, [])).toMatch(/^https:\/\/a\.example\/\?token=alias-\d+&n=1$/)
  })

  it('has no key that is split over chunks', () => {
    const chunks = [{ parts: [{ text: 'my sk-' }] }, 7, null, { text: 'mine key', other: 'sk-mine' }]
    expect(withoutSplitKeys(chunks, ['sk-mine'])).toEqual([
      { parts: [{ text: 'my sk-alias key' }] },
      7,
      null,
      { text: '', other: 'sk-mine' },
    ])
    expect(withoutSplitKeys([{ text: 'no' }, { text: ' key' }], ['sk-mine'])).toEqual([
      { text: 'no' },
      { text: ' key' },
    ])
  })
})

describe('an alias', () => {
  it('is the same for the same key, and of the same kind', () => {
    const aliases = new Aliases()
    expect(
      ['sk-one', 'two', 'sk-one', 'sk-three', '', 'sk-sim-team', 'sk-greenroom', 'sk-greenroom-2'].map(
        (key) => aliases.of(key),
      ),
    ).toEqual([
      'sk-alias-1',
      'alias-2',
      'sk-alias-1',
      'sk-alias-3',
      '',
      'sk-sim-team',
      'sk-greenroom',
      'sk-alias-4',
    ])
  })

  it('matches the form of the keys of an API', () => {
    const aliases = new Aliases([{ keyForm: /^r8_\w{6}$/, keys: [{ name: 'X-Acme' }] }] as never)
    expect(['r8_Ab3dEf', 'r8_Zz9zzz', 'r8_short'].map((key) => aliases.of(key))).toEqual([
      'r8_aa0aa1',
      'r8_aa0aa2',
      'alias-3',
    ])
    expect(aliases.inQueries('?x-acme=r8_Ab3dEf&other=r8_Ab3dEf')).toBe(
      '?x-acme=r8_aaa1&other=r8_Ab3dEf'.replace('r8_aaa1', aliases.of('r8_Ab3dEf')),
    )
    expect(aliases.inHeaders({ 'x-acme': 'r8_Zz9zzz' })).toEqual({ 'x-acme': aliases.of('r8_Zz9zzz') })
    expect(new Aliases([{ keyForm: /^[B-Z]+$/ }] as never).of('BBBB')).toBe('alias-1')
  })

  it('replaces secrets of headers, and drops cookies', () => {
    const headers = {
      cookie: 'a=b',
      authorization: 'Bearer  sk-one',
      'x-api-key': ['two', 'Basic two three'],
      'x-password': 'four',
      referer: 'https://a.example/?key=sk-one&page=2',
      accept: undefined,
    }
    expect([new Aliases().inHeaders(headers)]).toEqual([
      {
        authorization: 'Bearer  sk-alias-1',
        'x-api-key': ['alias-2', 'alias-3'],
        'x-password': 'alias-4',
        referer: 'https://a.example/?key=sk-alias-1&page=2',
      },
    ])
  })

  it('replaces secrets of queries, however they are named', () => {
    const aliases = new Aliases()
    const queries = [
      '?API-Key=a',
      '?apikeys=a',
      '?x&passwd=a',
      '?pageToken=a',
      '?page_token=a',
      '?%6bey=a',
      '?key=%zz',
      '?key=',
      '?keyword=a',
      '?my+token=a',
      '?credentials=a+b#top',
      '?auth=sk-sim-x',
    ]
    expect(queries.map((query) => aliases.inQueries(query))).toEqual([
      '?API-Key=alias-1',
      '?apikeys=alias-1',
      '?x&passwd=alias-1',
      '?pageToken=a',
      '?page_token=a',
      '?%6bey=alias-1',
      '?key=alias-2',
      '?key=',
      '?keyword=a',
      '?my+token=alias-1',
      '?credentials=alias-3#top',
      '?auth=sk-sim-x',
    ])
  })

  it('replaces given keys anywhere in a value', () => {
    expect(
      new Aliases().inValue(
        { keys: ['sk-one', { key: 'two', n: 1 }], other: null, text: 'sk-one!' },
        new Set(['sk-one', 'two']),
      ),
    ).toEqual({
      keys: ['sk-alias-1', { key: 'alias-2', n: 1 }],
      other: null,
      text: 'sk-one!',
    })
  })
})

it('finds the operation of a request, and the task that it names', () => {
  const apis = new ObservedApis()
  const found = (method: string, path: string, query?: string): unknown => {
    const { operation, task } =
      apis.find(exchange(method, path, 0, {}, query === undefined ? {} : { query })) ?? {}
    return [operation, task].join()
  }
  expect([
    found('GET', '/v1/video/generations/task_a'),
    found('HEAD', '/v1/videos/task_a/content'),
    found('POST', '/mj/submit/imagine'),
    found('GET', '/mj/task/1/fetch'),
    found('PUT', '/v1/models'),
    found('GET', '/nowhere'),
  ]).toEqual(['video.poll,task_a', 'video.content,task_a', 'mj.imagine,', 'mj.fetch,1', ',', ','])
  expect(apis.keyPlaces.map(({ name }) => name)).toContain('mj-api-secret')
})
