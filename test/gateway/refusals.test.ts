import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'
import { ask, postChat } from '../support/text.ts'
import { pollVideo, postVideo, submitVideo } from '../support/video.ts'

const start = '2030-01-01T00:00:00.000Z'
const clock = { mode: 'manual', start } as const

describeTransports((open) => {
  it.each<[string, EmbeddedOptions, string]>([
    [
      'a rule',
      { rules: [{ match: { op: 'video.submit' }, respond: { status: 429, retryAfter: '1001ms' } }] },
      '2',
    ],
    [
      'a rule, whole seconds',
      { rules: [{ match: { op: 'video.submit' }, respond: { status: 429, retryAfter: '2s' } }] },
      '2',
    ],
    [
      'a rule, next to nothing',
      { rules: [{ match: { op: 'video.submit' }, respond: { status: 429, retryAfter: 1 } }] },
      '1',
    ],
    [
      'a bucket',
      { throttles: [{ match: { op: 'video.submit' }, bucket: { capacity: 1, refill: '1/2100ms' } }] },
      '3',
    ],
    ['an outage', { throttles: [{ match: { op: 'video.submit' }, outage: '0s..4200ms' }] }, '5'],
  ])(
    'rounds Retry-After up to seconds, or clients return too early: %s',
    async (_name, options, expected) => {
      await using transport = await open({ clock, ...options })
      await postVideo(transport, { prompt: 'a kite' })
      const refused = await postVideo(transport, { prompt: 'a kite' })
      expect(refused.headers.get('retry-after')).toBe(expected)
    },
  )

  it('rounds Retry-After of a rate limit up to seconds', async () => {
    await using transport = await open({
      clock,
      throttles: [{ match: { op: 'chat.*' }, rate: { requests: 1, per: '2100ms' } }],
    })
    await postChat(transport, ask('Why?'))
    const refused = await postChat(transport, ask('Why not?'))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3'])
  })

  it('rounds a Retry-After date up to a second, too', async () => {
    const respond = { status: 429, retryAfter: '1001ms', retryAfterFormat: 'date' } as const
    await using transport = await open({ clock, rules: [{ match: { op: 'video.submit' }, respond }] })
    const refused = await postVideo(transport, { prompt: 'a kite' })
    expect(refused.headers.get('retry-after')).toBe(new Date(Date.parse(start) + 2_000).toUTCString())
  })

  it('names the limit that refused, in the header, the journal and the reasons', async () => {
    await using transport = await open({
      clock,
      throttles: [
        { id: 'wide', match: { op: 'video.submit' }, bucket: { capacity: 9, refill: '1/1h' } },
        { id: 'narrow', match: { op: 'video.submit' }, bucket: { capacity: 1, refill: '1/1h' } },
        { id: 'unreached', match: { op: 'video.submit' }, bucket: { capacity: 1, refill: '1/1h' } },
      ],
      rules: [{ id: 'rule', match: { op: 'video.submit' }, respond: { headers: { 'x-a': 'b' } } }],
    })
    const accepted = await postVideo(transport, { prompt: 'a kite' })
    const refused = await postVideo(transport, { prompt: 'a kite' })
    expect([accepted, refused].map(({ headers }) => headers.get('x-greenroom-rule'))).toEqual([
      'rule',
      'narrow',
    ])
    const [first, second] = transport.sim.journal()
    expect([first!.rules, second!.rules]).toEqual([['rule'], ['narrow']])
    expect(second!.reasons()).toMatchObject([
      { rule: 'wide', fired: false },
      { rule: 'narrow', fired: true },
    ])
    expect(transport.sim.rules().map(({ id, eligible }) => [id, eligible])).toContainEqual(['rule', 1])
  })

  it('refuses a key from the very instant at which it expires', async () => {
    const expires = Date.parse(start) + 10_000
    await using transport = await open({ clock, keys: [{ key: 'sk-short', expires }, 'sk-test'] })
    const call = async (): Promise<number> =>
      (await transport.call('/v1/models', { headers: { authorization: 'Bearer sk-short' } })).status
    await transport.sim.clock.advance(9_999)
    expect(await call()).toBe(200)
    await transport.sim.clock.advance(1)
    expect(await call()).toBe(401)
  })

  it('opens no namespace for a key that has expired, nor for one that is unknown', async () => {
    await using transport = await open({
      clock,
      keys: [
        { key: 'sk-over', expires: start, namespace: 'of-the-key' },
        { key: 'sk-valid', namespace: 'valid' },
      ],
    })
    const call = async (key: string, more: Record<string, string> = {}): Promise<number> =>
      (await transport.call('/v1/models', { headers: { authorization: `Bearer ${key}`, ...more } })).status
    expect(await call('sk-over')).toBe(401)
    expect(await call('sk-over', { 'x-greenroom-namespace': 'of-the-header' })).toBe(401)
    expect(await call('sk-none', { 'x-greenroom-namespace': 'of-a-stranger' })).toBe(401)
    expect(await call('sk-valid')).toBe(200)
    const names = transport.sim.core.namespaces.all().map(({ name }) => name)
    expect(names.toSorted()).toEqual(['default', 'valid'])
  })

  it('refuses even what costs nothing where the balance is 0', async () => {
    const prices = [{ models: 'free-*', perTask: 0 }]
    await using transport = await open({
      clock,
      prices,
      keys: [
        { key: 'sk-poor', balance: 0 },
        { key: 'sk-cent', balance: 0.01 },
      ],
    })
    const fields = { model: 'free-1', prompt: 'a kite' }
    const refused = await postVideo(transport, fields, { authorization: 'Bearer sk-poor' })
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'insufficient_user_quota' }),
    ])
    expect((await postVideo(transport, fields, { authorization: 'Bearer sk-cent' })).status).toBe(200)
  })

  it('lets pages read answers of the gateway, and says nothing of pages to other clients', async () => {
    await using transport = await open({
      clock,
      rules: [{ match: { op: 'models.list' }, on: 2, respond: { status: 503 } }],
    })
    const id = await submitVideo(transport)
    const headers = { authorization: 'Bearer sk-test' }
    const asPage = { ...headers, origin: 'https://page.example' }
    const paths = [
      `/v1/video/generations/${id}`,
      '/v1/models',
      '/v1/models',
      '/v1/unknown',
      '/mj/task/1/fetch',
    ]
    for (const path of paths) {
      const plain = await transport.call(path, { headers })
      expect(plain.headers.get('access-control-allow-origin'), path).toBe(null)
      expect(plain.headers.get('access-control-allow-credentials'), path).toBe(null)
      const page = await transport.call(path, { headers: asPage })
      expect(page.headers.get('access-control-allow-origin'), path).toBe('*')
    }
    const control = await transport.call('/_greenroom/health', { headers: {} })
    expect(control.headers.get('access-control-allow-origin')).toBe(null)
    expect((await pollVideo(transport, id)).task_id).toBe(id)
  })

  it('lets only allowed pages read answers of the control API', async () => {
    await using transport = await open({ clock, controlOrigins: ['https://allowed.example'] })
    const originOf = async (origin: string): Promise<string | null> =>
      (await transport.call('/_greenroom/health', { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      )
    expect(await originOf('https://allowed.example')).toBe('https://allowed.example')
    expect(await originOf('https://other.example')).toBe(null)
  })

  it.each([
    ['{"model":', 'The body is not valid JSON'],
    ["{'model': 'video-1'}", 'The body is not valid JSON from character 2 on.'],
    ['[]', 'The body is a JSON array. Send a JSON object.'],
    ['5', 'The body is a single JSON value.'],
    [`{"a":${'['.repeat(101)}${']'.repeat(101)}}`, 'nested deeper than 100 levels'],
  ])('hints at what is wrong with the body %s', async (body, hint) => {
    await using transport = await open()
    const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
    const refused = await transport.call('/v1/video/generations', { method: 'POST', headers, body })
    expect([refused.status, refused.headers.get('x-greenroom-hint')]).toEqual([
      400,
      expect.stringContaining(hint),
    ])
  })

  it('hints at the namespace of a task that it does not know', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    const headers = { authorization: 'Bearer sk-sim-other' }
    const refused = await transport.call(`/v1/video/generations/${id}`, { headers })
    expect([refused.status, refused.headers.get('x-greenroom-hint')]).toEqual([
      400,
      expect.stringContaining('There is no such task in namespace "other".'),
    ])
  })
})
