import { expect, it } from 'vitest'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { pollVideo, submitVideo } from '../support/video.ts'

async function control(
  transport: OpenTransport,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: never }> {
  const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await transport.call(`/_greenroom${path}`, { method, headers, ...init })
  return { status: response.status, body: (await response.json()) as never }
}

describeTransports((open) => {
  it('reports its health: versions, seed and encoder', async () => {
    await using transport = await open({ seed: 42, ffmpeg: 'wasm' })
    expect(await control(transport, 'GET', '/health')).toEqual({
      status: 200,
      body: {
        ready: true,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        node: process.version,
        seed: '42',
        encoder: {
          candidate: 'wasm',
          verified: false,
          reason: expect.stringMatching(/^set by GREENROOM_FFMPEG/),
        },
        namespaces: 1,
      },
    })
  })

  it('advances the clock by a duration, to an instant, and until a task has a status', async () => {
    await using transport = await open({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
    const by = await control(transport, 'POST', '/clock/advance', { by: '90s' })
    expect(by.body).toMatchObject({ time: '2030-01-01T00:01:30.000Z' })
    const to = await control(transport, 'POST', '/clock/advance', { to: '2030-01-01T00:02:00Z' })
    expect(to.body).toMatchObject({ now: Date.UTC(2030, 0, 1, 0, 2) })

    const id = await submitVideo(transport, { prompt: '[[queued 10s]] [[render 20s]] a kite' })
    const until = await control(transport, 'POST', '/clock/advance', {
      until: { task: id, status: 'IN_PROGRESS' },
    })
    expect(until.body).toMatchObject({ time: '2030-01-01T00:02:10.000Z' })
    expect((await pollVideo(transport, id)).status).toBe('IN_PROGRESS')
  })

  it('explains why a task will never have a status', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: 'a kite [[fail: no]]' })
    const never = await control(transport, 'POST', '/clock/advance', {
      until: { task: id, status: 'SUCCESS' },
    })
    expect(never).toEqual({
      status: 409,
      body: {
        error: {
          message: `Task ${id} never becomes SUCCESS: its timeline is queued → IN_PROGRESS → FAILURE.`,
        },
      },
    })
  })

  it('answers a sleep when it is due, and no longer assumes waits for that client', async () => {
    await using transport = await open({ clock: { mode: 'auto', start: '2030-01-01T00:00:00Z' } })
    const [first, second] = await Promise.all([
      control(transport, 'POST', '/clock/sleep', { for: '5s' }),
      control(transport, 'POST', '/clock/sleep', { for: '2m' }),
    ])
    expect([first.body, second.body]).toMatchObject([
      { time: '2030-01-01T00:00:05.000Z' },
      { time: '2030-01-01T00:02:00.000Z' },
    ])
    expect((await control(transport, 'GET', '/clock')).body).toMatchObject({
      mode: 'auto',
      assumesPollStep: false,
    })
  })

  it('changes the clock mode of one namespace only', async () => {
    await using transport = await open()
    const changed = await control(transport, 'PUT', '/clock?namespace=alice', { mode: 'scaled', rate: 60 })
    expect(changed.body).toMatchObject({ mode: 'scaled', rate: 60 })
    expect((await control(transport, 'GET', '/clock')).body).toMatchObject({ mode: 'auto' })
    const alice = await transport.call('/ns/alice/_greenroom/clock')
    expect(await alice.json()).toMatchObject({ mode: 'scaled' })
  })

  it('lists tasks and forces one to fail, once', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    const change = { status: 'FAILURE', reason: 'the power went out' }
    expect(await control(transport, 'POST', `/tasks/${id}/transition`, change)).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'FAILURE',
        reason: 'the power went out',
        timeline: [{ status: 'queued' }, { status: 'IN_PROGRESS' }, { status: 'FAILURE' }],
      },
    })
    expect(await pollVideo(transport, id)).toMatchObject({
      status: 'FAILURE',
      fail_reason: 'the power went out',
    })
    expect(await control(transport, 'POST', `/tasks/${id}/transition`, { status: 'SUCCESS' })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('it has ended as FAILURE') } },
    })
    expect((await control(transport, 'GET', '/tasks')).body).toMatchObject([{ id, status: 'FAILURE' }])
    expect((await control(transport, 'GET', '/tasks/task_x')).status).toBe(404)
  })

  it('says when something happens next: a waiter is due, or a task changes its state', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const { clock } = transport.sim
    expect(clock.status().nextEvent).toBe(null)
    const id = await submitVideo(transport, {
      prompt: '[[queued 10s]] [[render 20s]] a kite [[fail: no wind]]',
    })
    const start = clock.now()
    const sleep = clock.sleep('15s')
    for (const seconds of [10, 15, 30]) {
      const { body } = await control(transport, 'GET', '/clock')
      expect(body).toMatchObject({ nextEvent: start + seconds * 1_000 })
      await control(transport, 'POST', '/clock/advance', { to: start + seconds * 1_000 })
    }
    await sleep
    expect(clock.status().nextEvent).toBe(null)
    expect(transport.sim.task(id).timeline).toEqual([
      { status: 'queued', phase: 'waiting', from: start },
      { status: 'IN_PROGRESS', phase: 'working', from: start + 10_000 },
      { status: 'FAILURE', phase: 'failed', from: start + 30_000, reason: 'no wind' },
    ])
  })

  it('says whether a text is a valid scenario, and what is wrong with it', async () => {
    await using transport = await open()
    const check = async (body: string): Promise<unknown> =>
      (await control(transport, 'POST', '/scenario/check', body)).body
    const text = 'version: 1\nrules:\n  - match: { op: video.poll }\n    fault: reset\n'
    expect(await check(text)).toEqual({ ok: true })
    expect(await check(JSON.stringify({ text }))).toEqual({ ok: true })
    expect(await check(text.replace('video.poll', 'video.pol'))).toEqual({
      ok: false,
      message: expect.stringMatching(/^scenario\.yaml:3:\d+: .*video\.pol/),
    })
    expect(await check(text.replace('fault: reset', 'chance: 0'))).toEqual({
      ok: false,
      message: expect.stringMatching(
        /^scenario\.yaml:4:\d+: mistake: .*never fires.*\nscenario\.yaml:3:\d+: mistake: .*has no effect/,
      ),
    })
    expect(await check(text.replace('reset', 'hang'))).toEqual({ ok: true })
    expect(await check('a: [')).toMatchObject({ ok: false })
    expect(await check('version: 1\nextends: [other.yaml]')).toMatchObject({ ok: false })
    expect((await control(transport, 'POST', '/scenario/check', ' ')).status).toBe(400)
    expect((await control(transport, 'POST', '/scenario/check', '#'.repeat(2 ** 20 + 1))).status).toBe(400)
  })

  it('lists the namespaces, and judges the clients of one', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, {}, { authorization: 'Bearer sk-sim-alice' })
    const { body: namespaces } = await control(transport, 'GET', '/namespaces')
    expect(namespaces).toMatchObject([
      { name: 'default', tasks: 0, requests: 0, mode: 'manual' },
      { name: 'alice', tasks: 1, requests: 1, mode: 'manual', now: transport.sim.clock.now() },
    ])
    await transport.call(`/v1/videos/${id}/content`, { headers: { authorization: 'Bearer sk-sim-alice' } })
    const { body: verdict } = await control(transport, 'GET', '/verdict?namespace=alice')
    expect(verdict).toMatchObject({
      requests: 2,
      invariants: expect.arrayContaining([
        expect.objectContaining({ name: 'no-early-download', violations: 1 }),
      ]),
    })
    expect((await control(transport, 'GET', '/verdict?namespace=unknown')).body).toMatchObject({
      requests: 0,
    })
    expect(transport.sim.core.namespaces.has('unknown')).toBe(false)
    await control(transport, 'POST', '/reset?namespace=alice')
    expect((await control(transport, 'GET', '/verdict?namespace=alice')).body).toMatchObject({ requests: 0 })
  })

  it('lists only the latest tasks if the request has `last`', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const ids: string[] = []
    for (const prompt of ['a kite', 'a boat', 'a fox']) ids.push(await submitVideo(transport, { prompt }))
    const latest = async (last: number): Promise<unknown[]> =>
      ((await control(transport, 'GET', `/tasks?last=${last}`)).body as { id: string }[]).map(({ id }) => id)
    expect(await latest(2)).toEqual(ids.slice(1))
    expect(await latest(0)).toEqual([])
    expect(await latest(9)).toEqual(ids)
    expect(transport.sim.tasks({ last: 1 }).map(({ id }) => id)).toEqual(ids.slice(2))
  })

  it('filters the journal, and clears journal, tasks or both', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    await pollVideo(transport, id)
    await pollVideo(transport, id)
    const polls = await control(transport, 'GET', `/journal?operation=video.poll&task=${id}&last=1`)
    expect(polls.body).toMatchObject([{ number: 3, task: id }])
    expect((await control(transport, 'GET', '/journal?operation=video.*')).body).toHaveLength(3)
    expect((await control(transport, 'GET', '/journal?operation=mj.notify&outcome=open')).body).toEqual([])
    expect(() => transport.sim.journal({ op: 'video.poll' } as never)).toThrow(
      'filter.op is not known. Known here: operation, task',
    )

    await control(transport, 'DELETE', '/journal')
    expect((await control(transport, 'GET', '/journal')).body).toEqual([])
    expect((await control(transport, 'GET', '/tasks')).body).toHaveLength(1)
    await control(transport, 'DELETE', '/tasks')
    expect((await control(transport, 'GET', '/tasks')).body).toEqual([])
    expect(await submitVideo(transport)).toBe(id)
    await control(transport, 'POST', '/reset')
    expect([
      (await control(transport, 'GET', '/tasks')).body,
      (await control(transport, 'GET', '/journal')).body,
    ]).toEqual([[], []])
  })

  it.each([
    ['POST', '/clock/advance', {}, 400, 'Give one of "by", "to" and "until"'],
    ['POST', '/clock/advance', { bye: '1s' }, 400, 'Unknown field "bye". Did you mean "by"?'],
    ['POST', '/clock/advance', { by: 'soon' }, 400, '"soon" is not a duration'],
    ['POST', '/clock/advance', { by: -5 }, 400, '-5 is not a duration'],
    ['POST', '/clock/advance', { to: '1999-01-01' }, 409, 'in the past'],
    ['POST', '/clock/advance', { to: 'tomorrow' }, 400, '"to" must be an ISO date'],
    ['POST', '/clock/advance', { until: { task: 'x', status: 'SUCCESS' } }, 404, 'There is no task "x"'],
    [
      'GET',
      '/journal?operation=video.pol',
      undefined,
      400,
      'which does not exist. Did you mean "video.poll"?',
    ],
    ['GET', '/journal?outcome=abborted', undefined, 400, 'Did you mean "aborted"?'],
    [
      'POST',
      '/clock/advance',
      '{',
      400,
      'The body is not a JSON object. This call can move time: {"by": "30s"}',
    ],
    ['POST', '/clock/advance', '[]', 400, 'The body is not a JSON object'],
    ['POST', '/rules', '[]', 400, 'This call can add a rule with precedence over the file'],
    ['PUT', '/clock', { mode: 'maual' }, 400, 'There is no mode "maual". Did you mean "manual"?'],
    ['PUT', '/clock', { mode: 'real', rate: 5 }, 409, 'a rate goes with mode scaled, not with real'],
    ['POST', '/clock/advance', { to: 1e300 }, 409, 'time ends at 9999-12-31T23:59:59Z'],
    ['POST', '/clock/advance', { by: 8e15 }, 400, 'is not a duration'],
    ['PUT', '/clock', { mode: 'scaled', rate: -1 }, 409, 'rate is -1'],
    ['PUT', '/clock', { mode: 'scaled', rate: 'x' }, 400, '"rate" must be a number'],
    ['POST', '/clock/sleep', {}, 400, '"for" must be a duration'],
    ['GET', '/journal?colour=red', undefined, 400, 'Unknown query parameter "colour". Known: operation,'],
    ['GET', '/tasks?status=1', undefined, 400, 'Unknown query parameter "status". Known: last, namespace.'],
    [
      'POST',
      '/next?namspace=abc',
      { op: 'video.poll', fault: 'reset' },
      400,
      'Unknown query parameter "namspace". Did you mean "namespace"? Known: namespace. This call can change the next',
    ],
    [
      'POST',
      '/clock/advance?by=5s',
      undefined,
      400,
      'Unknown query parameter "by". Known: namespace. "by" is a field of the body.',
    ],
    [
      'POST',
      '/reset',
      { namespac: 'x' },
      400,
      'Unknown field "namespac". Known: none. Did you mean the query parameter: ?namespace=…? This call can forget',
    ],
    [
      'POST',
      '/clock/advance',
      { until: { task: 'x', staus: 'SUCCESS' } },
      400,
      'Unknown field "staus". Did you mean "status"? Known: task, status.',
    ],
    ['GET', '/tasks?last=-1', undefined, 400, '"last" must be a whole number'],
    ['GET', '/journal?last=x', undefined, 400, '"last" must be a whole number'],
    ['GET', '/clok', undefined, 404, 'Did you mean "/_greenroom/clock"?'],
    ['DELETE', '/clock', undefined, 405, "doesn't take DELETE. Use GET, PUT."],
    ['DELETE', '', undefined, 405, "/_greenroom doesn't take DELETE. Use GET."],
    [
      'GET',
      '/tasks?namespace=a%20b',
      undefined,
      400,
      '?namespace= names the namespace "a b", but a namespace is 1 to 64 letters',
    ],
  ])('refuses %s %s %j with a hint', async (method, path, body, status, message) => {
    await using transport = await open()
    expect(await control(transport, method, path, body)).toEqual({
      status,
      body: { error: { message: expect.stringContaining(message) } },
    })
  })

  it('clears nothing for a call with a name that it does not know', async () => {
    await using transport = await open()
    await submitVideo(transport)
    for (const [method, path, body] of [
      ['DELETE', '/tasks?task=other'],
      ['DELETE', '/journal?last=1'],
      ['POST', '/reset?namspace=abc'],
      ['POST', '/reset', { namespace: 'abc' }],
    ] as const)
      expect((await control(transport, method, path, body)).status, path).toBe(400)
    expect(transport.sim.tasks()).toHaveLength(1)
    expect(transport.sim.journal()).toHaveLength(1)
  })

  it('refuses pages of other origins unless they are allowed', async () => {
    await using transport = await open({ controlOrigins: ['http://localhost:5173'] })
    const from = (headers: Record<string, string>): Promise<{ status: number; body: never }> =>
      control(transport, 'POST', '/reset', {}, headers)
    expect(await from({ origin: 'https://evil.example' })).toEqual({
      status: 403,
      body: { error: { message: expect.stringContaining('https://evil.example to controlOrigins') } },
    })
    const opaque = await from({ origin: 'null' })
    expect(opaque.status).toBe(403)
    expect(JSON.stringify(opaque)).toContain('open the page from a server such as http://localhost:5173')
    expect((await from({ origin: 'http://localhost:5173' })).status).toBe(200)
    // Images and links of a page send no Origin, but browsers add Sec-Fetch-Site.
    const statusFrom = async (site: string): Promise<number> =>
      (await from({ 'sec-fetch-site': site })).status
    expect([await statusFrom('cross-site'), await statusFrom('same-site')]).toEqual([403, 403])
    expect([await statusFrom('same-origin'), await statusFrom('none')]).toEqual([200, 200])
  })

  it('normalizes allowed origins to the form that browsers send', async () => {
    const written = ['HTTP://LocalHost:5173/', 'http://localhost:80', 'https://app.example:443/']
    await using transport = await open({ controlOrigins: written })
    for (const origin of ['http://localhost:5173', 'http://localhost', 'https://app.example']) {
      expect((await control(transport, 'POST', '/reset', {}, { origin })).status).toBe(200)
    }
  })

  it.each(['localhost:5173', 'app.example', 'http://localhost:5173/app', '*', ''])(
    'refuses %j as an origin, since no page has it',
    async (origin) => {
      await expect(open({ controlOrigins: [origin] })).rejects.toThrow('Use the origin of a page, such as')
    },
  )

  it('refuses the origin of files, which every site can have', async () => {
    await expect(open({ controlOrigins: ['null'] })).rejects.toThrow('Open the page from a server')
  })

  it('lists its calls at its root URL', async () => {
    await using transport = await open()
    const index = await control(transport, 'GET', '/')
    expect(index.body).toMatchObject({
      calls: expect.arrayContaining([
        expect.objectContaining({ does: 'mode, time, waiters, and why time does not move' }),
      ]),
    })
  })
})
