import { expect, it } from 'vitest'
import { createSimulator, type MediaSource } from '../src/index.ts'
import { describeTransports } from './support/transports.ts'
import { authorization, getContent, pollVideo, postVideo, submitVideo } from './support/video.ts'

const json = { authorization, 'content-type': 'application/json' }
const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`

/** A source whose videos can't be made, as when a disk is gone. */
const broken: MediaSource = {
  receiveImage: () => Promise.reject(new Error('no')),
  receiveMask: () => Promise.reject(new Error('no')),
  received: () => Promise.resolve(undefined),
  picture: () => Promise.reject(new Error('no')),
  clip: () => Promise.reject(new Error('the disk is gone')),
  prefetch: () => Promise.resolve('skipped'),
  encoder: () => ({ candidate: 'none', verified: false }),
  close: () => Promise.resolve(),
}

describeTransports((open) => {
  it.each([
    [{ metadata: { resolution: 'constructor' } }, 'invalid_size'],
    [{ metadata: { resolution: '__proto__' } }, 'invalid_size'],
    [{ metadata: { aspect_ratio: { toString: 'x' } } }, 'invalid_size'],
    [{ metadata: `{"resolution":${deep}}` }, 'invalid_request'],
    [{ image: [] }, 'invalid_request'],
    [{ image: { url: 'x' } }, 'invalid_request'],
    [{ size: '65x1x2' }, 'invalid_size'],
    [{ size: '0x0' }, 'invalid_size'],
    [{ size: '999999999x999999999' }, 'invalid_size'],
    [{ duration: 1.5 }, 'invalid_request'],
  ])('refuses the fields %j as a client mistake', async (fields, code) => {
    await using transport = await open()
    const response = await postVideo(transport, { prompt: 'a kite', size: undefined, ...fields })
    expect([response.status, await response.json()]).toMatchObject([400, { code }])
  })

  it('refuses a control call nested too deep to be walked', async () => {
    await using transport = await open()
    const call = await transport.call('/_greenroom/clock/advance', {
      method: 'POST',
      body: `{"until":${deep}}`,
    })
    expect(call.status).toBe(400)
  })

  it('survives instants beyond the end of time', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    const advance = await transport.call('/_greenroom/clock/advance', {
      method: 'POST',
      body: '{"to":1e300}',
    })
    expect(advance.status).toBe(409)
    expect((await pollVideo(transport, id)).status).toBe('queued')
  })

  it('holds a response forever, until the client disconnects', async () => {
    await using transport = await open({
      rules: [{ match: { op: 'video.poll' }, times: 1, delay: 'forever' }],
    })
    const id = await submitVideo(transport)
    const leaving = new AbortController()
    const poll = transport.call(`/v1/video/generations/${id}`, {
      headers: { authorization },
      signal: leaving.signal,
    })
    // A client that disconnects before its request was read holds nothing.
    await expect.poll(() => transport.sim.journal({ operation: 'video.poll' })).toHaveLength(1)
    leaving.abort()
    await expect(poll).rejects.toThrow()
    expect((await pollVideo(transport, id)).status).toBeTruthy()
  })

  it('tells a model list in any script', async () => {
    await using transport = await open({ models: [{ name: '视频' }] })
    const response = await postVideo(transport, { model: 'other', prompt: 'a kite' })
    expect(response.status).toBe(503)
    expect(response.headers.get('x-greenroom-hint')).toBe('The configured models are: ??.')
    expect(transport.sim.journal()).toMatchObject([{ status: 503, outcome: 'completed' }])
  })

  it('answers 502 when a video cannot be made, with the reason in a header', async () => {
    await using transport = await open({ media: broken })
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('1m')
    const content = await getContent(transport, id)
    expect([content.status, await content.json(), content.headers.get('x-greenroom-hint')]).toEqual([
      502,
      { error: { message: 'Failed to fetch video content', type: 'server_error' } },
      'the disk is gone',
    ])
    expect(transport.sim.journal({ operation: 'video.content' })).toMatchObject([{ outcome: 'failed' }])
  })

  it('lets go of a client that leaves while it sends its body', async () => {
    await using transport = await open()
    const leaving = new AbortController()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    })
    const init = {
      method: 'POST',
      headers: json,
      body,
      duplex: 'half',
      signal: leaving.signal,
    } as RequestInit
    const submit = transport.call('/v1/video/generations', init)
    setTimeout(() => leaving.abort(), 30)
    await expect(submit).rejects.toThrow()
    await transport.sim.clock.sleep('5s')
  })

  it('starts over after a reset: the same request, the same id, the same decision of the rules', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
      rules: [{ match: { op: 'video.submit' }, on: 1, task: { outcome: 'failure' } }],
    })
    const lives: string[] = []
    for (let life = 0; life < 2; life++) {
      const id = await submitVideo(transport)
      lives.push(`${id} ${transport.sim.task(id).timeline.at(-1)!.status}`)
      transport.sim.clear()
    }
    expect(lives[0]).toMatch(/FAILURE$/)
    expect(lives[1]).toBe(lives[0])
  })

  it('gives each namespace request ids of its own', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const ids: (string | null)[] = []
    for (const name of ['alice', 'bob']) {
      const headers = { authorization: `Bearer sk-sim-${name}` }
      ids.push(
        (await transport.call('/v1/video/generations/x', { headers })).headers.get('x-oneapi-request-id'),
      )
    }
    expect(new Set(ids).size).toBe(2)
  })

  it('refuses a key whose namespace has no proper name', async () => {
    await using transport = await open()
    const response = await transport.call('/v1/video/generations/x', {
      headers: { authorization: 'Bearer sk-sim-a/b' },
    })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('a namespace is 1 to 64'),
    ])
  })

  it('creates no namespace for a client that only reads', async () => {
    await using transport = await open()
    expect(await (await transport.call('/_greenroom/journal?namespace=typo')).json()).toEqual([])
    expect(await (await transport.call('/_greenroom/tasks?namespace=typo')).json()).toEqual([])
    expect(transport.sim.core.namespaces.has('typo')).toBe(false)
  })

  it('lets an allowed page read the control plane, preflight included', async () => {
    await using transport = await open({ controlOrigins: ['http://localhost:5173'] })
    const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'PUT' }
    const preflight = await transport.call('/_greenroom/clock', { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET,POST,PUT,DELETE',
    ])
    const clock = await transport.call('/_greenroom/clock', { headers })
    expect(clock.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    const foreign = await transport.call('/_greenroom/clock', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    })
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})

it('keeps a namespace whose request is being read, however many others come', async () => {
  await using sim = createSimulator({ cacheDir: false, limits: { namespaces: 3 }, clock: { mode: 'manual' } })
  await sim.namespace('a').clock.advance('1h')
  let send = (_text: string): void => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      send = (text) => {
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      }
    },
  })
  const headers = { ...json, authorization: 'Bearer sk-sim-a' }
  const submit = sim.fetch('/v1/video/generations', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  for (const name of ['b', 'c', 'd']) {
    await sim.fetch('/v1/video/generations/x', { headers: { authorization: `Bearer sk-sim-${name}` } })
  }
  send('{"model":"video-1","prompt":"a kite"}')
  const { created_at: createdAt } = (await (await submit).json()) as { created_at: number }
  expect(createdAt).toBe(Date.UTC(2030, 0, 1, 1) / 1000)
  expect(sim.namespace('a').journal()).toHaveLength(1)
})

it('does not blame a new task for a render of before a reset', async () => {
  const fail: (() => void)[] = []
  const media: MediaSource = {
    ...broken,
    prefetch: () =>
      new Promise((_resolve, reject) => fail.push(() => reject(new Error('the old render died')))),
  }
  await using sim = createSimulator({ media, clock: { mode: 'real' } })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const id = await submitVideo(transport)
  sim.clear()
  expect(await submitVideo(transport)).toBe(id)
  fail[0]!()
  await new Promise((resolve) => setImmediate(resolve))
  expect(sim.task(id).status).toBe('queued')
  fail[1]!()
  await new Promise((resolve) => setImmediate(resolve))
  expect(sim.task(id)).toMatchObject({ status: 'FAILURE', reason: 'the old render died' })
})

it.each([
  [{ video: { size: { default: '99999x99999' } } }, 'video.size.default is "99999x99999"'],
  [{ video: { seconds: { default: 50, max: 10 } } }, 'video.seconds.default is 50, outside 1 to 10'],
  [{ models: [{ name: 'm', seconds: [3601] }] }, 'Model m makes clips of 3601 seconds'],
  [{ models: [{ name: 'm', sizes: ['big'] }] }, 'models.0.sizes.0 is "big"'],
  [{ publicUrl: 'foo' }, 'publicUrl is "foo"'],
  [{ publicUrl: 'https://x.example/?a=1' }, 'must have no query and no fragment'],
  [{ clock: { start: 'tomorrow' } }, 'clock.start is "tomorrow"'],
  [{ clock: { mode: 'real' as const, rate: 60 } }, 'a rate goes with mode scaled, not with real'],
])('refuses the options %j before the first request', (options, message) => {
  expect(() => createSimulator({ cacheDir: false, ...options })).toThrow(message)
})

it('takes a rate alone to mean scaled time', async () => {
  await using sim = createSimulator({ cacheDir: false, clock: { rate: 60 } })
  expect(sim.clock.status()).toMatchObject({ mode: 'scaled', rate: 60 })
})

it('answers no request after it was closed', async () => {
  const sim = createSimulator({ cacheDir: false })
  await sim.close()
  await expect(sim.fetch('/v1/video/generations/x')).rejects.toThrow('the simulator is closed')
})
