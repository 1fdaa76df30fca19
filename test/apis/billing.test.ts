import { expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../src/index.ts'
import { describeTransports } from '../support/transports.ts'
import { ask, postChat, postJson, postNative, say } from '../support/text.ts'
import { postVideo } from '../support/video.ts'

const poor = 'sk-poor'

/** A key with a dollar; a second of video is a dime. */
const withBalance = (balance: number, more: EmbeddedOptions = {}): EmbeddedOptions => ({
  keys: [{ key: poor, balance }],
  prices: [
    { models: 'by-token', output: 10 },
    { models: 'video-*', perSecond: 0.1 },
    { models: 'sim-*', input: 1_000, output: 1_000 },
  ],
  clock: { mode: 'manual' },
  ...more,
})

const headers = { authorization: `Bearer ${poor}` }

describeTransports((open) => {
  it('reserves the price of a task, and charges it when the task succeeds', async () => {
    await using transport = await open(withBalance(1))
    const { task_id: id } = (await (
      await postVideo(transport, { prompt: 'x', duration: 4 }, headers)
    ).json()) as {
      task_id: string
    }
    expect(transport.sim.usage()).toEqual([
      {
        key: 'sk-…',
        tasks: 1,
        seconds: 4,
        tokens: { input: 0, output: 0 },
        spent: 0,
        reserved: 0.4,
        balance: 0.6,
      },
    ])
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    expect(transport.sim.usage()).toMatchObject([{ spent: 0.4, reserved: 0, balance: 0.6 }])
  })

  it('gives it back at the instant at which the task fails', async () => {
    await using transport = await open(withBalance(1))
    const fields = { prompt: 'x [[queued 1s]] [[render 10s]] [[fail: no]]', duration: 8 }
    const { task_id: id } = (await (await postVideo(transport, fields, headers)).json()) as {
      task_id: string
    }
    const failsAt = transport.sim.task(id).timeline.find(({ status }) => status === 'FAILURE')!.from
    const again = (): Promise<Response> => postVideo(transport, { prompt: 'y', duration: 8 }, headers)
    await transport.sim.clock.advance(failsAt - transport.sim.clock.now() - 1)
    expect((await again()).status).toBe(403)
    await transport.sim.clock.advance(1)
    expect(transport.sim.usage()).toMatchObject([{ reserved: 0, balance: 1 }])
    expect((await again()).status).toBe(200)
  })

  it('refuses a task that costs more than is left, in the envelope of tasks', async () => {
    await using transport = await open(withBalance(0.5))
    const refused = await postVideo(transport, { prompt: 'x', duration: 6 }, headers)
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        code: 'insufficient_user_quota',
        message: '预扣费额度失败, 用户剩余额度: ＄0.500000, 需要预扣费额度: ＄0.600000',
        data: null,
      },
    ])
    expect(transport.sim.tasks()).toEqual([])
    const missing = await postVideo(transport, { duration: 6 }, headers)
    expect(missing.status, 'a missing prompt is found before money is').toBe(400)
  })

  it('refuses texts on an empty balance, in the envelope of relays', async () => {
    await using transport = await open(withBalance(0))
    const chat = await postChat(transport, ask('hi'), { headers })
    expect([chat.status, await chat.json()]).toMatchObject([
      403,
      {
        error: {
          message: expect.stringMatching(/^用户额度不足, 剩余额度: ＄0\.000000 \(request id: \w+\)$/),
          type: 'new_api_error',
          param: '',
          code: 'insufficient_user_quota',
        },
      },
    ])
    const native = await postNative(transport, 'generateContent', say('hi'), { headers })
    expect([native.status, await native.json()]).toMatchObject([
      403,
      { error: { status: 'PERMISSION_DENIED' } },
    ])
  })

  it('refuses a drawing that the key cannot pay for, in the envelope of drawings', async () => {
    await using transport = await open(withBalance(0.08))
    const imagine = (): Promise<Response> =>
      postJson(transport, '/mj/submit/imagine', { prompt: 'a kite' }, { headers })
    expect((await imagine()).status).toBe(200)
    expect(transport.sim.usage()).toMatchObject([{ tasks: 1, reserved: 0.05 }])
    const refused = await imagine()
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { code: 4, description: 'quota_not_enough ', type: 'upstream_error' },
    ])
  })

  it('charges texts by their tokens, and videos by theirs if they are priced so', async () => {
    await using transport = await open(withBalance(100, { discount: 0.5 }))
    const answer = await postChat(transport, ask('hi'), { headers })
    const { usage } = (await answer.json()) as {
      usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
    }
    const [spent] = transport.sim.usage()
    expect(spent).toMatchObject({
      tokens: { input: usage.prompt_tokens, output: usage.completion_tokens },
      spent: Number((usage.total_tokens * 0.001 * 0.5).toFixed(6)),
    })
    await postVideo(transport, { model: 'by-token', prompt: 'x', size: '128x96', duration: 2 }, headers)
    // 128 x 96 pixels, 24 frames a second, two seconds, by 1024.
    expect(transport.sim.usage()).toMatchObject([{ reserved: Number((576 * 0.00001 * 0.5).toFixed(6)) }])
  })

  it('charges nothing for a chat that is refused', async () => {
    await using transport = await open(withBalance(1))
    for (const prompt of ['x [[block]]', 'x [[error 503]]', 'x [[error 503 after 5]]']) {
      expect((await postChat(transport, ask(prompt), { headers })).ok).toBe(false)
    }
    expect(transport.sim.usage()).toEqual([])
  })

  it('has the price of a task in its poll', async () => {
    await using transport = await open(withBalance(1))
    const { task_id: id } = (await (
      await postVideo(transport, { prompt: 'x', duration: 3 }, headers)
    ).json()) as {
      task_id: string
    }
    const polled = await transport.call(`/v1/video/generations/${id}`, { headers })
    expect(await polled.json()).toMatchObject({ data: { quota: 150_000 } })
  })

  it('has an account for each namespace, and resets it with its tasks', async () => {
    await using transport = await open(withBalance(1))
    await postVideo(transport, { prompt: 'x', duration: 5 }, { ...headers, 'x-greenroom-namespace': 'other' })
    expect(transport.sim.usage()).toEqual([])
    expect(transport.sim.namespace('other').usage()).toMatchObject([{ balance: 0.5 }])
    transport.sim.namespace('other').clear()
    expect(transport.sim.namespace('other').usage()).toEqual([])
  })

  it('never shows a whole key', async () => {
    await using transport = await open()
    const keys = ['sk-0123456789abcdef', 'sk-sim-alice', 'sk-sim-alice.two']
    for (const key of keys) {
      const namespace = { 'x-greenroom-namespace': 'default' }
      await postChat(transport, ask('hi'), { headers: { authorization: `Bearer ${key}`, ...namespace } })
    }
    const response = await transport.call('/_greenroom/usage')
    const text = await response.text()
    expect((JSON.parse(text) as { key: string }[]).map(({ key }) => key)).toEqual([
      'sk-01…ef',
      '…alice',
      '…alice.two',
    ])
    for (const key of keys) expect(text).not.toContain(key)
  })

  it('limits the rate of each key on its clock, and says when to retry', async () => {
    await using transport = await open({
      throttles: [{ match: { op: 'chat.*' }, rate: { requests: 2, per: '30s', headers: true } }],
      clock: { mode: 'manual' },
    })
    const call = (key = 'sk-one'): Promise<Response> =>
      postChat(transport, ask('hi'), { headers: { authorization: `Bearer ${key}` } })
    expect((await call()).headers.get('x-ratelimit-remaining-requests')).toBe('1')
    await transport.sim.clock.advance('10s')
    await call()
    const refused = await call()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('20')
    expect(refused.headers.get('x-ratelimit-reset-requests')).toBe('20s')
    expect(await refused.json()).toMatchObject({ error: { type: 'new_api_error', code: '' } })
    expect((await call('sk-two')).status).toBe(200)
    expect((await postVideo(transport, { prompt: 'x' }, { authorization: 'Bearer sk-one' })).status).toBe(200)
    await transport.sim.clock.advance('20s')
    expect((await call()).status).toBe(200)
  })

  it('refuses with a bare 429, as the gateway does, if it is not to explain', async () => {
    await using transport = await open({
      throttles: [{ match: { op: 'text.*' }, rate: { requests: 1, retryAfter: false } }],
    })
    await postNative(transport, 'generateContent', say('hi'))
    const refused = await postNative(transport, 'generateContent', say('hi'))
    expect([refused.status, await refused.text(), refused.headers.get('retry-after')]).toEqual([
      429,
      '',
      null,
    ])
  })

  it('counts invalid requests in a rate, and names the rate in the journal', async () => {
    const throttles = [{ id: 'chats', match: { op: 'chat.*' }, rate: { requests: 1 } }]
    await using transport = await open({ throttles })
    expect((await postChat(transport, { messages: 'none' })).status).toBe(400)
    expect((await postChat(transport, ask('hi'))).status).toBe(429)
    expect(transport.sim.journal().map(({ rules }) => rules)).toEqual([[], ['chats']])
  })

  it('shares a rate among the keys of a namespace, and refuses a throttle that is more than a rate', async () => {
    const rate = { requests: 1 }
    const match = { op: 'chat.*' }
    await using transport = await open({ throttles: [{ match, per: 'namespace', rate }] })
    const call = (key: string): Promise<Response> =>
      postChat(transport, ask('hi'), { headers: { authorization: `Bearer ${key}` } })
    expect([(await call('sk-one')).status, (await call('sk-two')).status]).toEqual([200, 429])
    const both = [{ match, rate, concurrent: 1 }]
    await expect(open({ throttles: both })).rejects.toThrow('rate needs a throttle of its own')
  })

  it('publishes its prices without a key', async () => {
    await using transport = await open(
      withBalance(1, {
        models: [
          { name: 'video-9', kind: 'video' },
          { name: 'sim-9', kind: 'text' },
        ],
        discount: 0.8,
      }),
    )
    const response = await transport.call('/api/pricing')
    expect([response.status, await response.json()]).toMatchObject([
      200,
      {
        success: true,
        group_ratio: { default: 0.8 },
        data: [
          {
            model_name: 'video-9',
            quota_type: 1,
            model_price: 0.1,
            supported_endpoint_types: ['openai-video'],
          },
          { model_name: 'sim-9', quota_type: 0, model_ratio: 500, completion_ratio: 1 },
        ],
      },
    ])
  })
})
