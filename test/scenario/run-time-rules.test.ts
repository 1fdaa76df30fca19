import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { authorization, getContent, pollVideo, postVideo, submitVideo } from '../support/video.ts'

describeTransports((open) => {
  it('applies a rule to the next request only', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    transport.sim.next('video.poll', { respond: { status: 503, retryAfter: '7s' } })
    const poll = (): Promise<Response> =>
      transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    const first = await poll()
    expect([first.status, first.headers.get('retry-after'), first.headers.get('x-greenroom-rule')]).toEqual([
      503,
      '7',
      'next-1',
    ])
    expect((await poll()).status).toBe(200)
    expect(transport.sim.journal({ operation: 'video.poll' })[0]).toMatchObject({
      status: 503,
      retryAfterMs: 7_000,
      rules: ['next-1'],
    })
  })

  it('refuses a rule without effect, unless its id says that it only counts', async () => {
    await using transport = await open()
    const { sim } = transport
    const post = async (path: string, body: unknown): Promise<unknown> => {
      const response = await transport.call(`/_greenroom${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      return [response.status, await response.json()]
    }
    const advice = /has no effect\. Add respond, fault, delay, .* or set/
    const refused = [400, { error: { message: expect.stringMatching(advice) as unknown } }]
    const match = { op: 'video.poll' }
    expect(await post('/next', { op: 'video.poll' })).toEqual(refused)
    expect(await post('/next', { op: 'video.poll', id: 'mine' })).toEqual(refused)
    expect(await post('/rules', { match })).toEqual(refused)
    expect(() => sim.next('video.poll', {})).toThrow(advice)
    expect(() => sim.addRule({ match })).toThrow(/has no effect\. .* or an id to only count its requests\.$/)
    expect(sim.rules()).toEqual([])
    expect(await post('/next', { op: 'video.poll', fault: 'reset' })).toEqual([200, { id: 'next-1' }])
    expect(await post('/rules', { id: 'polls', match })).toEqual([200, { id: 'polls' }])
  })

  it('names the mistake in a timeline that no task can follow, and calls it no bug', async () => {
    await using transport = await open()
    const { sim } = transport
    sim.next('video.submit', { task: { timeline: [{ after: '1s', status: 'DONE' }] } })
    const response = await postVideo(transport, { prompt: 'a red kite' })
    const message =
      'A rule\'s task.timeline[0]: there is no state "DONE". Use queued, IN_PROGRESS, SUCCESS, FAILURE.'
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining(message) as unknown },
    })
    const [entry] = sim.journal()
    expect(entry).toMatchObject({ status: 500, hint: message })
    expect(entry!.internalError).toBeUndefined()
    expect(sim.tasks()).toEqual([])
  })

  it('fails a number of attempts, then succeeds, separately for each task', async () => {
    await using transport = await open({
      rules: [{ id: 'flaky', match: { op: 'video.*' }, attempts: [429, 503, 'ok'] }],
    })
    const statuses = async (prompt: string): Promise<number[]> => {
      const seen: number[] = []
      for (let attempt = 0; attempt < 4; attempt++) seen.push((await postVideo(transport, { prompt })).status)
      return seen
    }
    expect(await statuses('one')).toEqual([429, 503, 200, 200])
    expect(await statuses('two')).toEqual([429, 503, 200, 200])
    expect(transport.sim.tasks()).toHaveLength(4)
  })

  it('creates no task if the request is lost, and one if only the response is lost', async () => {
    await using transport = await open()
    transport.sim.next('video.submit', { fault: 'close' })
    await expect(postVideo(transport, { prompt: 'x' })).rejects.toThrow(TypeError)
    expect(transport.sim.tasks()).toEqual([])
    transport.sim.next('video.submit', { fault: { type: 'close', lost: 'answer' } })
    await expect(postVideo(transport, { prompt: 'x' })).rejects.toThrow(TypeError)
    expect(transport.sim.tasks()).toHaveLength(1)
    expect(transport.sim.journal().map(({ fault, outcome }) => [fault, outcome])).toEqual([
      ['close', 'failed'],
      ['close', 'failed'],
    ])
  })

  it('returns a stale status once', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('5m')
    transport.sim.next('video.poll', { fault: { type: 'stale', by: '5m' } })
    expect((await pollVideo(transport, id)).status).toBe('queued')
    expect((await pollVideo(transport, id)).status).toBe('SUCCESS')
  })

  it('limits by a bucket that refills in virtual time, with Retry-After', async () => {
    await using transport = await open({
      throttles: [{ id: 'submits', match: { op: 'video.submit' }, bucket: { capacity: 2, refill: '1/10s' } }],
      clock: { mode: 'manual' },
    })
    const submit = async (key = 'sk-one'): Promise<[number, string | null]> => {
      const response = await postVideo(transport, { prompt: 'x' }, { authorization: `Bearer ${key}` })
      return [response.status, response.headers.get('retry-after')]
    }
    expect([await submit(), await submit(), await submit()]).toEqual([
      [200, null],
      [200, null],
      [429, '10'],
    ])
    expect(await submit('sk-other')).toEqual([200, null])
    await transport.sim.clock.advance('4s')
    expect(await submit()).toEqual([429, '6'])
    await transport.sim.clock.advance('6s')
    expect(await submit()).toEqual([200, null])
  })

  it('limits the concurrent tasks of a key, and its workers', async () => {
    await using transport = await open({
      throttles: [
        { id: 'three', match: { op: 'video.submit' }, concurrent: 3 },
        { id: 'one-worker', match: { op: 'video.submit' }, workers: 1 },
      ],
      clock: { mode: 'manual' },
    })
    const ids = [await submitVideo(transport), await submitVideo(transport), await submitVideo(transport)]
    expect((await postVideo(transport, { prompt: 'x' })).status).toBe(429)
    const ends = ids.map((id) => transport.sim.task(id).timeline.at(-1)!.from)
    const begins = ids.map(
      (id) => transport.sim.task(id).timeline.find(({ status }) => status === 'IN_PROGRESS')!.from,
    )
    expect(begins.slice(1)).toEqual(ends.slice(0, 2))
  })

  it('returns 503 during an outage, with Retry-After', async () => {
    await using transport = await open({
      throttles: [{ id: 'outage', match: { op: 'video.*' }, outage: '30s..55s' }],
      clock: { mode: 'manual' },
    })
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('40s')
    const response = await transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '15'])
    await transport.sim.clock.advance('15s')
    expect((await pollVideo(transport, id)).task_id).toBe(id)
  })

  it('expires a task, follows a timeline, and matches by body, header and regular expression', async () => {
    await using transport = await open({
      rules: [
        {
          id: 'gives-up',
          match: { op: 'video.submit', body: { 'metadata.kind': { regex: '^stuck-\\d+$' } } },
          task: { queued: 'forever', expire: { after: '8m', reason: 'no worker' } },
        },
        {
          id: 'scripted',
          match: { op: 'video.submit', headers: { 'X-Script': { glob: 'y*' } } },
          task: {
            timeline: [
              { after: '1s', status: 'IN_PROGRESS', progress: 40 },
              { after: '5s', progress: '80%' },
              { after: '9s', status: 'SUCCESS' },
            ],
          },
        },
      ],
      clock: { mode: 'manual' },
    })
    const stuck = await submitVideo(transport, { metadata: { kind: 'stuck-7' } })
    const scripted = await submitVideo(transport, {}, { 'x-script': 'yes' })
    const seen: string[] = []
    for (const step of ['2s', '4s', '4s']) {
      await transport.sim.clock.advance(step)
      const { status, progress } = await pollVideo(transport, scripted)
      seen.push(`${status} ${progress}`)
    }
    expect(seen).toEqual(['IN_PROGRESS 40%', 'IN_PROGRESS 80%', 'SUCCESS 100%'])
    expect((await getContent(transport, scripted)).status).toBe(200)
    await transport.sim.clock.advance('8m')
    expect(await pollVideo(transport, stuck)).toMatchObject({ status: 'FAILURE', fail_reason: 'no worker' })
  })

  it('sets variables for other rules, and explains why each rule fired or not', async () => {
    await using transport = await open({
      rules: [
        { id: 'degrade', match: { op: 'video.submit' }, on: 1, set: { mode: 'degraded' }, continue: true },
        {
          id: 'slow',
          match: { op: 'video.poll' },
          when: { vars: { mode: 'degraded' } },
          respond: { status: 502 },
        },
      ],
    })
    const id = await submitVideo(transport)
    const response = await transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    expect(response.status).toBe(502)
    const [entry] = transport.sim.journal({ operation: 'video.poll' })
    expect(entry!.reasons()).toEqual([
      { rule: 'degrade', fired: false, why: 'another operation' },
      { rule: 'slow', fired: true, why: 'request 1 of the namespace' },
    ])
  })

  it('adds, lists and removes rules over HTTP, and reports all mistakes in a rule', async () => {
    await using transport = await open()
    const call = controlOf(transport)
    expect(await call('POST', '/rules', { id: 'mine', match: { op: 'video.poll' }, chance: 0.5 })).toEqual([
      200,
      { id: 'mine' },
    ])
    expect(await call('POST', '/next', { op: 'video.submit', fault: 'reset' })).toEqual([
      200,
      { id: 'next-1' },
    ])
    expect(await call('GET', '/rules')).toMatchObject([
      200,
      [
        { layer: 'next', id: 'next-1' },
        { layer: 'added', id: 'mine' },
      ],
    ])
    expect(await call('DELETE', '/rules/mine')).toEqual([200, { removed: 'mine' }])
    expect((await call('DELETE', '/rules/mine'))[0]).toBe(404)
    for (const wrong of [
      {},
      { match: { op: 'video.pol' } },
      { match: { op: 'video.poll' }, chanse: 1 },
      { match: { op: 'video.poll' }, media: { file: '/etc/passwd.mp4' } },
    ]) {
      const [status, body] = await call('POST', '/rules', wrong)
      expect([status, JSON.stringify(body).length > 20]).toEqual([400, true])
    }
    expect(await call('GET', '/rules')).toMatchObject([200, [{ id: 'next-1' }]])
  })

  it('limits rules that are added in a namespace to it', async () => {
    await using transport = await open()
    const call = controlOf(transport)
    const submits = async (name: string): Promise<number> => {
      const headers = { authorization: `Bearer sk-sim-${name}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'video-1', prompt: 'a kite' })
      return (await transport.call('/v1/video/generations', { method: 'POST', headers, body })).status
    }
    await call('POST', '/next?namespace=one', { op: 'video.submit', respond: { status: 503 } })
    await call('POST', '/rules?namespace=one', {
      id: 'mine',
      match: { op: 'video.submit' },
      on: 2,
      respond: { status: 500 },
    })
    await call('POST', '/rules', { id: 'all', match: { op: 'video.poll' }, delay: '1s' })
    expect([await submits('other'), await submits('other')]).toEqual([200, 200])
    expect([await submits('one'), await submits('one')]).toEqual([503, 500])

    expect(await call('GET', '/rules?namespace=other')).toMatchObject([200, [{ id: 'all' }]])
    expect(await call('GET', '/rules?namespace=one')).toMatchObject([
      200,
      [{ layer: 'next', fired: 1 }, { id: 'mine', eligible: 2, fired: 1 }, { id: 'all' }],
    ])
    expect((await call('DELETE', '/rules/mine?namespace=other'))[0]).toBe(404)
    expect(await call('DELETE', '/rules/all?namespace=one')).toEqual([
      404,
      { error: { message: 'Rule "all" is for all namespaces: remove it without naming one.' } },
    ])
    expect((await call('DELETE', '/rules/mine?namespace=one'))[0]).toBe(200)
  })
})

/** Calls the control API. Returns the status and the body of the response. */
function controlOf(
  transport: OpenTransport,
): (method: string, path: string, body?: unknown) => Promise<[number, unknown]> {
  return async (method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
    const response = await transport.call(`/_greenroom${path}`, { method, ...sent })
    return [response.status, await response.json()]
  }
}
