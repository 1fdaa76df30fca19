import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { describeTransportsAnd } from '../../support/transports.ts'
import { authorization, getContent, pollVideo, postVideo, submitVideo } from '../../support/video.ts'

const png = readFileSync(new URL('../../../fixtures/pictures/kite-64x48.png', import.meta.url))

describeTransportsAnd(
  'express',
  'http-middleware',
)((open) => {
  it('accepts a video and answers at once with a queued task', async () => {
    await using transport = await open({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
    const response = await postVideo(transport, { prompt: 'a paper boat in the rain' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('x-oneapi-request-id')).toMatch(/^20300101000000\d{9}8268d9d6[0-9A-Za-z]{8}$/)
    const body = (await response.json()) as Record<string, unknown>
    expect(Object.keys(body)).toEqual([
      'id',
      'task_id',
      'object',
      'model',
      'status',
      'progress',
      'created_at',
    ])
    expect(body).toEqual({
      id: body['task_id'],
      task_id: expect.stringMatching(/^task_[0-9A-Za-z]{32}$/),
      object: 'video',
      model: 'video-1',
      status: 'queued',
      progress: 0,
      created_at: 1893456000,
    })
  })

  it('is queued, then IN_PROGRESS, then SUCCESS with a link, as time passes', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: '[[queued 10s]] [[render 20s]] a kite' })
    expect(await pollVideo(transport, id)).toMatchObject({
      status: 'queued',
      progress: '0%',
      start_time: 0,
      finish_time: 0,
    })

    await transport.sim.clock.advance('20s')
    const halfway = await pollVideo(transport, id)
    expect(halfway).toMatchObject({ status: 'IN_PROGRESS', progress: '64%', finish_time: 0 })
    expect(halfway.start_time - halfway.submit_time).toBe(10)
    expect(halfway).not.toHaveProperty('result_url')

    await transport.sim.clock.advance('10s')
    const done = await pollVideo(transport, id)
    expect(done).toMatchObject({
      task_id: id,
      status: 'SUCCESS',
      progress: '100%',
      fail_reason: '',
      result_url: `${transport.url}/v1/videos/${id}/content`,
    })
    expect(done.finish_time - done.submit_time).toBe(30)
  })

  it('serves a real MP4 with its length and a strong entity tag', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const response = await getContent(transport, id)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('video/mp4')
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400')
    // A browser may not reuse the cached response of an <img> for a script or a canvas.
    expect(response.headers.get('vary')).toBe('Origin')
    expect(response.headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(bytes.toString('latin1', 4, 8)).toBe('ftyp')
    expect(bytes.includes('avc1')).toBe(true)
  })

  it('answers HEAD, If-None-Match and single ranges', async () => {
    await using transport = await open()
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    const whole = await getContent(transport, id)
    const bytes = Buffer.from(await whole.arrayBuffer())
    const etag = whole.headers.get('etag')!

    const head = await getContent(transport, id, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([
      200,
      String(bytes.length),
      0,
    ])
    expect((await getContent(transport, id, { headers: { 'if-none-match': etag } })).status).toBe(304)

    const part = await getContent(transport, id, { headers: { range: 'bytes=4-7' } })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe(`bytes 4-7/${bytes.length}`)
    expect(await part.text()).toBe('ftyp')

    const tail = await getContent(transport, id, { headers: { range: 'bytes=-10' } })
    expect(Buffer.from(await tail.arrayBuffer())).toEqual(bytes.subarray(-10))

    const beyond = await getContent(transport, id, { headers: { range: `bytes=${bytes.length}-` } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])

    const several = await getContent(transport, id, { headers: { range: 'bytes=0-1,4-5' } })
    expect([several.status, (await several.arrayBuffer()).byteLength]).toEqual([200, bytes.length])

    const stale = await getContent(transport, id, { headers: { range: 'bytes=0-1', 'if-range': '"old"' } })
    expect(stale.status).toBe(200)
  })

  it('fails a task with the reason in its prompt', async () => {
    await using transport = await open()
    const id = await submitVideo(transport, { prompt: 'a kite [[fail: content policy]]' })
    await transport.sim.clock.advance('1m')
    const failed = await pollVideo(transport, id)
    expect(failed).toMatchObject({ status: 'FAILURE', progress: '100%', fail_reason: 'content policy' })
    expect(failed).not.toHaveProperty('result_url')
    const content = await getContent(transport, id)
    expect([content.status, await content.json()]).toEqual([
      400,
      {
        error: {
          message: 'Task is not completed yet, current status: FAILURE',
          type: 'invalid_request_error',
        },
      },
    ])
  })

  it('never ends a task whose prompt says stuck', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: '[[stuck]] a kite' })
    await transport.sim.clock.advance('30d')
    expect(await pollVideo(transport, id)).toMatchObject({ status: 'IN_PROGRESS', progress: '99%' })
  })

  it('lets a rule fail the second task and delay every poll', async () => {
    await using transport = await open({
      rules: [
        {
          match: { op: 'video.submit' },
          on: 2,
          task: { outcome: 'failure', reason: 'out of luck', failAt: 0.5 },
        },
        { match: { op: 'video.poll' }, delay: '2s' },
      ],
    })
    const ids = [await submitVideo(transport), await submitVideo(transport)]
    await transport.sim.clock.advance('1m')
    const before = transport.sim.clock.now()
    const states = [await pollVideo(transport, ids[0]!), await pollVideo(transport, ids[1]!)]
    expect(states.map(({ status }) => status)).toEqual(['SUCCESS', 'FAILURE'])
    expect(states[1]!.fail_reason).toBe('out of luck')
    expect(transport.sim.clock.now() - before).toBe(4_000)
    expect(transport.sim.journal({ operation: 'video.poll' })).toMatchObject([
      { delayMs: 2000 },
      { delayMs: 2000 },
    ])
  })

  it('hides a task from every other namespace', async () => {
    await using transport = await open()
    const id = await submitVideo(transport, {}, { authorization: 'Bearer sk-sim-alice' })
    const asAlice = await pollVideo(transport, id, { authorization: 'Bearer sk-sim-alice.second-key' })
    expect(asAlice.task_id).toBe(id)

    const headers = { authorization: 'Bearer sk-sim-bob' }
    const asBob = await transport.call(`/v1/video/generations/${id}`, { headers })
    expect([asBob.status, await asBob.json()]).toEqual([
      400,
      { code: 'task_not_exist', message: 'task_not_exist', data: null },
    ])
    const content = await getContent(transport, id, { headers })
    expect([content.status, await content.json()]).toEqual([
      404,
      { error: { message: 'Task not found', type: 'invalid_request_error' } },
    ])
    expect(
      (await getContent(transport, id, { headers: { authorization: 'Bearer sk-sim-alice' } })).status,
    ).toBe(400)
  })

  it('has a namespace that the base path names in its links', async () => {
    await using transport = await open()
    const call = (path: string, init?: RequestInit): Promise<Response> =>
      transport.call(`/ns/alice${path}`, init)
    const id = await submitVideo({ call })
    await transport.sim.namespace('alice').clock.advance('1m')
    expect(await pollVideo({ call }, id)).toMatchObject({
      result_url: `${transport.url}/ns/alice/v1/videos/${id}/content`,
    })
    expect(transport.sim.journal()).toEqual([])
    expect(transport.sim.namespace('alice').journal()).toHaveLength(2)
  })

  it('moves an auto clock by the poll step, so that a plain polling loop ends at once', async () => {
    await using transport = await open()
    const id = await submitVideo(transport, { prompt: '[[queued 1m]] [[render 2m]] a slow kite' })
    let polls = 0
    let status = ''
    while (status !== 'SUCCESS') {
      polls++
      status = (await pollVideo(transport, id)).status
    }
    expect(polls).toBe(36)
  })

  it('writes every exchange into the journal', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: 'a kite' })
    await pollVideo(transport, id)
    await transport.call('/v1/video/generations/unknown', { headers: { authorization } })
    await transport.call('/v1/video/generations/unknown')
    expect(transport.sim.journal()).toMatchObject([
      { number: 1, operation: 'video.submit', status: 200, task: id, prompt: 'a kite', outcome: 'completed' },
      {
        number: 2,
        operation: 'video.poll',
        status: 200,
        task: id,
        reportedStatus: 'queued',
        outcome: 'completed',
      },
      { number: 3, operation: 'video.poll', status: 400, task: null, key: 'sk-…' },
      { number: 4, operation: 'video.poll', status: 401, task: null, key: '' },
    ])
  })

  it('lets pages of any origin call the gateway', async () => {
    await using transport = await open()
    const preflight = await transport.call('/v1/video/generations', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*, Authorization')
    const refused = await transport.call('/v1/video/generations/x', {
      headers: { origin: 'https://app.example' },
    })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('answers for a task past its retention as for an unknown one', async () => {
    await using transport = await open({ clock: { mode: 'manual' }, retention: { tasks: 2, age: '1h' } })
    const ids = [await submitVideo(transport), await submitVideo(transport), await submitVideo(transport)]
    const statusOf = async (id: string): Promise<number> =>
      (await transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })).status
    expect([await statusOf(ids[0]!), await statusOf(ids[1]!), await statusOf(ids[2]!)]).toEqual([
      400, 200, 200,
    ])
    await transport.sim.clock.advance('59m')
    expect(await statusOf(ids[2]!)).toBe(200)
    await transport.sim.clock.advance('1m')
    expect(await statusOf(ids[2]!)).toBe(400)
    expect((await getContent(transport, ids[2]!)).status).toBe(404)
    expect(transport.sim.tasks()).toEqual([])
  })

  it('draws a placeholder for an image URL, which it does not fetch', async () => {
    const requests: string[] = []
    const pictures = createServer((request, response) => {
      requests.push(String(request.url))
      response.end(png)
    }).listen(0, '127.0.0.1')
    await once(pictures, 'listening')
    const address = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/kite.png`
    try {
      await using transport = await open({ clock: { mode: 'manual' } })
      const id = await submitVideo(transport, { image: address })
      await transport.sim.clock.advance('1m')
      expect(await pollVideo(transport, id)).toMatchObject({ status: 'SUCCESS' })
      expect((await getContent(transport, id)).status).toBe(200)
      expect(transport.sim.task(id).request).toMatchObject({ imageUrl: address })
      expect(requests).toEqual([])
    } finally {
      pictures.close()
    }
  })
})
