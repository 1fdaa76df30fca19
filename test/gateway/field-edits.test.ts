import { describe, expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type Rule } from '../../src/index.ts'
import { adjustReply } from '../../src/gateway/replies/scripted.ts'
import type { Reply } from '../../src/gateway/replies/reply.ts'
import { describeTransports } from '../support/transports.ts'
import { authorization, submitVideo } from '../support/video.ts'
import { servedRows } from '../support/needs.ts'

const headers = { authorization, 'content-type': 'application/json' }
const chat = { model: 'sim-text-1', stream: true, stream_options: { include_usage: true } }
const post = (body: object): RequestInit => ({ method: 'POST', headers, body: JSON.stringify(body) })
const ask = (content: string, more: object = {}): RequestInit =>
  post({ ...chat, messages: [{ role: 'user', content }], ...more })

/** The events of a stream that are JSON. */
function eventsOf(text: string): Record<string, unknown>[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
}

describe('adjustReply', () => {
  const own: Reply = { status: 200, headers: {}, body: '{"a":{"b":[{"c":1},{"d":2}]},"e":null}', delayMs: 0 }
  const edit = (respond: Parameters<typeof adjustReply>[1]): unknown => {
    let edits = 0
    const { body } = adjustReply(own, respond, 0, () => edits++)
    return [JSON.parse(body as string), edits]
  }

  it.each([
    [{ 'a.b[0].c': 'x' }, { a: { b: [{ c: 'x' }, { d: 2 }] }, e: null }],
    [{ 'a.b[*].c': [7] }, { a: { b: [{ c: [7] }, { d: 2, c: [7] }] }, e: null }],
    [{ 'a.b[*]': 0 }, { a: { b: [0, 0] }, e: null }],
    [{ f: { g: 1 } }, { a: { b: [{ c: 1 }, { d: 2 }] }, e: null, f: { g: 1 } }],
    [{ e: 3 }, { a: { b: [{ c: 1 }, { d: 2 }] }, e: 3 }],
  ])('sets %j', (set, body) => {
    expect(edit({ set })).toEqual([body, 1])
  })

  it.each([{ 'a.b[0].c': 1 }, { 'a.x.y': 1 }, { 'a.b[2]': 1 }, { 'a.b[0].c.d': 1 }])(
    'reports no edit if %j changes nothing',
    (set) => {
      expect(edit({ set })).toEqual([JSON.parse(own.body as string), 0])
    },
  )

  it('sets a field of the name __proto__ as any other', () => {
    const { body } = adjustReply(own, { set: { ['__proto__']: 1 } }, 0)
    expect(body).toContain('"__proto__":1')
  })
})

describeTransports((open) => {
  it('sets fields of a poll, with templates, and removes others at the same time', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    const respond = { set: { 'data.status': 'queued', 'data.note': '${task.id}' }, omit: ['code'] }
    transport.sim.next('video.poll', { respond })
    const response = await transport.call(`/v1/video/generations/${id}`, { headers })
    const body = (await response.json()) as Record<string, unknown>
    expect(body).not.toHaveProperty('code')
    expect(body['data']).toMatchObject({ status: 'queued', note: id })
  })

  it('removes fields from each event of a stream', async () => {
    await using transport = await open()
    transport.sim.next('chat.complete', { respond: { omit: ['usage', 'choices[*].delta.role'] } })
    const text = await (await transport.call('/v1/chat/completions', ask('Why?'))).text()
    expect(text).toMatch(/data: \[DONE\]\n\n$/)
    expect(eventsOf(text).length).toBeGreaterThan(2)
    expect(text).not.toMatch(/"usage"|"role"/)
  })

  it('sets a field in the events that have it, and not in those where it is null or absent', async () => {
    await using transport = await open()
    transport.sim.next('chat.complete', { respond: { set: { 'choices[*].finish_reason': 'odd' } } })
    const text = await (await transport.call('/v1/chat/completions', ask('Why?'))).text()
    const reasons = eventsOf(text).flatMap(({ choices }) =>
      (choices as { finish_reason: unknown }[]).map((choice) => choice.finish_reason),
    )
    expect(reasons.filter((reason) => reason !== null)).toEqual(['odd'])
    expect(reasons.length).toBeGreaterThan(1)
  })
})

const native = { contents: [{ role: 'user', parts: [{ text: 'Why?' }] }] }

it.each(
  servedRows([
    ['/v1beta/models/sim-text-1:streamGenerateContent?alt=sse', native, 'modelVersion'],
    ['/v1beta/models/sim-text-1:streamGenerateContent', native, 'modelVersion'],
    ['/v1/messages', { ...chat, max_tokens: 99, messages: [{ role: 'user', content: 'Why?' }] }, 'index'],
    ['/v1/responses', { ...chat, input: 'Why?' }, 'sequence_number'],
  ]),
)('edits the events of %s', async (path, body, field) => {
  const quirks = { nativeStreamWithoutAlt: 'json-array', sseNewline: 'crlf' } as const
  await using sim = createSimulator({ quirks })
  const whole = await (await sim.fetch(`http://x${path}`, post(body))).text()
  expect(whole).toContain(`"${field}"`)
  sim.addRule({ id: 'less', match: { op: '*' }, respond: { omit: [field] } })
  const text = await (await sim.fetch(`http://x${path}`, post(body))).text()
  expect(text).not.toContain(`"${field}"`)
  if (path.endsWith('Content')) expect(JSON.parse(text)).toHaveLength((JSON.parse(whole) as unknown[]).length)
  expect(sim.rules()).toMatchObject([{ eligible: 1, fired: 1 }])
})

describe('a rule that changes nothing', () => {
  const streamed = (content: string) => async (sim: EmbeddedSimulator) => {
    await (await sim.fetch('http://x/v1/chat/completions', ask(content))).text()
  }
  const plain = async (sim: EmbeddedSimulator): Promise<void> => {
    await (
      await sim.fetch(
        'http://x/v1/chat/completions',
        ask('Why?', { stream: false, stream_options: undefined }),
      )
    ).text()
  }
  const models = async (sim: EmbeddedSimulator): Promise<void> => {
    await (await sim.fetch('http://x/v1/models', { headers })).text()
  }

  it.each<
    [
      string,
      Omit<Rule, 'match'>,
      (sim: EmbeddedSimulator) => Promise<void>,
      (sim: EmbeddedSimulator) => Promise<void>,
      string,
    ]
  >([
    [
      'omits a field of a stream',
      { respond: { omit: ['usage.none'] } },
      streamed('Why?'),
      streamed('Why?'),
      'usage.none is not in this response',
    ],
    [
      'omits a field of JSON',
      { respond: { omit: ['choices[3]'] } },
      plain,
      plain,
      'choices[3] is not in this response',
    ],
    [
      'breaks a stream',
      { fault: 'duplicate-events' },
      plain,
      streamed('Why?'),
      "The fault duplicate-events can't break this response.",
    ],
    ['paces a stream', { stream: { gap: '1s' } }, plain, streamed('Why?'), 'paces a streamed text'],
    [
      'splits a character',
      { fault: 'split-character' },
      streamed('[[say: plain]]'),
      streamed('[[say: Grüße]]'),
      "The fault split-character can't break this response.",
    ],
  ])('%s: it does not count as fired', async (_name, effect, vain, _useful, hint) => {
    await using sim = createSimulator()
    sim.addRule({ id: 'idle', match: { op: 'chat.complete' }, times: 1, ...effect })
    await vain(sim)
    expect(sim.rules()).toMatchObject([{ eligible: 1, fired: 0, spent: false }])
    const entry = sim.journal().at(-1)!
    expect(entry).toMatchObject({ rules: [], fault: null, hint: expect.stringContaining(hint) as string })
    expect(entry.reasons()).toMatchObject([
      { rule: 'idle', fired: false, why: expect.stringMatching(/nothing$/) as string },
    ])
  })

  it.each<
    [
      Omit<Rule, 'match'>,
      (sim: EmbeddedSimulator) => Promise<void>,
      (sim: EmbeddedSimulator) => Promise<void>,
    ]
  >([
    [{ fault: 'duplicate-events' }, plain, streamed('Why?')],
    [{ fault: 'split-character' }, streamed('[[say: plain]]'), streamed('[[say: Grüße]]')],
    [{ stream: { gap: '1s' } }, plain, streamed('Why?')],
    [{ respond: { omit: ['usage'] } }, models, streamed('Why?')],
  ])('still fires where it can: %j', async (effect, vain, useful) => {
    await using sim = createSimulator()
    sim.addRule({ id: 'idle', match: { op: '*' }, times: 1, ...effect })
    await vain(sim)
    await useful(sim)
    expect(sim.rules()).toMatchObject([{ eligible: 2, fired: 1, spent: true }])
    expect(sim.journal().at(-1)).toMatchObject({ rules: ['idle'] })
  })

  it('counts as fired if it has another effect', async () => {
    await using sim = createSimulator()
    sim.addRule({ id: 'slow', match: { op: '*' }, delay: '1s', respond: { omit: ['none'] } })
    await models(sim)
    expect(sim.rules()).toMatchObject([{ fired: 1 }])
  })
})
