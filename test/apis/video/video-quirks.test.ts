import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../../src/index.ts'
import { describeTransports } from '../../support/transports.ts'
import { authorization, getContent, pollVideo, submitVideo } from '../../support/video.ts'

describeTransports((open) => {
  it("uses the gateway's own words for a queued task, by quirk", async () => {
    await using transport = await open({
      quirks: { videoStatusStyle: 'upstream' },
      clock: { mode: 'manual' },
    })
    const id = await submitVideo(transport, { prompt: '[[queued 30s]] [[render 10s]] a kite' })
    const seen: string[] = []
    for (const step of ['0s', '10s', '10s', '10s', '10s']) {
      await transport.sim.clock.advance(step)
      const { status, progress } = await pollVideo(transport, id)
      seen.push(`${status} ${progress}`)
    }
    expect(seen).toEqual(['NOT_START 0%', 'SUBMITTED 10%', 'QUEUED 20%', 'IN_PROGRESS 30%', 'SUCCESS 100%'])
  })

  it('sends the client to a signed link, which needs no key', async () => {
    await using transport = await open({ quirks: { contentDelivery: 'redirect' } })
    const id = await submitVideo(transport, {}, { authorization: 'Bearer sk-sim-alice' })
    await transport.sim.namespace('alice').clock.advanceUntil(id, 'SUCCESS')
    const headers = { authorization: 'Bearer sk-sim-alice' }
    const redirect = await getContent(transport, id, { headers, redirect: 'manual' })
    const location = redirect.headers.get('location')!
    expect(redirect.status).toBe(302)
    expect(location).toMatch(
      new RegExp(`^${transport.url}/v1/videos/${id}/content\\?expires=\\d+&signature=[0-9a-f]{32}$`),
    )

    const response = await transport.fetch(location)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4'])
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(500)
    expect((await transport.fetch(location, { headers: { range: 'bytes=0-9' } })).status).toBe(206)
  })

  it('refuses a link that was tampered with, and one that has expired', async () => {
    await using transport = await open({ quirks: { contentDelivery: 'redirect' }, clock: { mode: 'manual' } })
    const id = await submitVideo(transport)
    await transport.sim.clock.advance('1m')
    const location = (await getContent(transport, id, { redirect: 'manual' })).headers.get('location')!
    const tampered = await transport.fetch(location.replace(/expires=\d+/, 'expires=9999999999'))
    expect([tampered.status, await tampered.text()]).toEqual([403, expect.stringContaining('is not valid')])
    await transport.sim.clock.advance('14m')
    expect((await transport.fetch(location)).status).toBe(200)
    await transport.sim.clock.advance('1m')
    const late = await transport.fetch(location)
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('has expired')])
  })

  it('serves clips without a key by quirk, and still refuses a wrong key', async () => {
    await using transport = await open({ quirks: { contentAuth: 'optional' }, keys: ['sk-right'] })
    const id = await submitVideo(transport, {}, { authorization: 'Bearer sk-right' })
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    expect((await transport.call(`/v1/videos/${id}/content`)).status).toBe(200)
    expect((await getContent(transport, id, { headers: { authorization: 'Bearer sk-wrong' } })).status).toBe(
      401,
    )
    expect((await transport.call('/v1/videos/task_unknown/content')).status).toBe(404)
    expect((await transport.call(`/v1/video/generations/${id}`)).status).toBe(401)
  })

  it('takes a profile for a set of quirks, and single quirks on top', async () => {
    await using transport = await open({ profile: 'page', quirks: { contentAuth: 'required' } })
    const id = await submitVideo(transport)
    await transport.sim.clock.advanceUntil(id, 'SUCCESS')
    expect((await getContent(transport, id, { redirect: 'manual' })).status).toBe(302)
    expect((await transport.call(`/v1/videos/${id}/content`)).status).toBe(401)
  })

  it('gives several keys one namespace, and each its models and its expiry', async () => {
    await using transport = await open({
      clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' },
      keys: [
        { key: 'sk-first', namespace: 'team' },
        { key: 'sk-second', namespace: 'team', models: ['video-*'] },
        { key: 'sk-trial', namespace: 'team', expires: '2030-01-01T01:00:00Z' },
      ],
    })
    const by = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })
    const id = await submitVideo(transport, {}, by('sk-first'))
    expect((await pollVideo(transport, id, by('sk-second'))).task_id).toBe(id)
    expect((await pollVideo(transport, id, by('sk-trial'))).task_id).toBe(id)

    const other = await transport.call('/v1/video/generations', {
      method: 'POST',
      headers: { ...by('sk-second'), 'content-type': 'application/json' },
      body: '{"model":"paint-1","prompt":"a kite"}',
    })
    expect([other.status, await other.text()]).toEqual([
      403,
      expect.stringContaining('This token has no access to model paint-1'),
    ])
    const poll = (key: string): Promise<Response> =>
      transport.call(`/v1/video/generations/${id}`, { headers: by(key) })
    expect((await poll('sk-other')).status).toBe(401)
    await transport.sim.namespace('team').clock.advance('1h')
    expect([(await poll('sk-trial')).status, (await poll('sk-first')).status]).toEqual([401, 200])
  })

  it('limits a key to its models in a remix too', async () => {
    await using transport = await open({
      keys: [
        { key: 'sk-all', namespace: 'team' },
        { key: 'sk-some', namespace: 'team', models: ['video-*'] },
      ],
    })
    const id = await submitVideo(transport, { model: 'paint-1' }, { authorization: 'Bearer sk-all' })
    const remix = (key: string): Promise<Response> =>
      transport.call(`/v1/videos/${id}/remix`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"prompt":"a kite","model":"ignored"}',
      })
    expect([(await remix('sk-some')).status, (await remix('sk-all')).status]).toEqual([403, 200])
  })

  it('opens no namespace for a stranger without a key', async () => {
    await using transport = await open({ limits: { namespaces: 2 } })
    const mine = { headers: { authorization: 'Bearer sk-sim-mine' } }
    await transport.call('/v1/video/generations/x', mine)
    for (const path of ['/ns/a/v1/videos/x/content?signature=1', '/ns/b/v1/videos/x/content?signature=1']) {
      expect((await transport.call(path)).status).toBe(404)
    }
    expect((await transport.call('/v1/video/generations/x', mine)).headers.get('x-greenroom-exchange')).toBe(
      'mine/2',
    )
  })

  it('paces videos by their model', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
      timing: { 'fast-*': 'instant', 'slow-*': { queued: '1m', render: '2m' } },
    })
    const lastsOf = async (model: string): Promise<number> => {
      const { timeline } = transport.sim.task(await submitVideo(transport, { model }))
      return timeline.at(-1)!.from - timeline[0]!.from
    }
    expect([await lastsOf('fast-1'), await lastsOf('slow-1')]).toEqual([0, 180_000])
    expect(await lastsOf('video-1')).toBeGreaterThan(4_000)
  })
})

it('needs no key for a clip by its link, but still hides other tasks', async () => {
  await using sim = createSimulator({ cacheDir: false, profile: 'page' })
  const response = await sim.fetch('/v1/video/generations/x')
  expect(response.status).toBe(401)
  const content = await sim.fetch('/v1/videos/task_x/content', { headers: { authorization } })
  expect(content.status).toBe(404)
})

it.each([
  [{ quirks: { contentAuth: 'sometimes' } }, 'Quirk contentAuth is "sometimes". Use required or optional.'],
  [{ quirks: { contentAth: 'on' } }, 'There is no quirk "contentAth". Did you mean "contentAuth"?'],
  [{ profile: 'pge' }, 'There is no profile "pge". Did you mean "page"?'],
  [{ keys: [{ key: 'sk-a', expires: 'soon' }] }, 'keys.0.expires is "soon": must be an ISO date'],
  [{ timing: 'slow' }, 'timing is "slow": must be one of instant, quick, realistic.'],
  [{ timing: { queued: 'soon' } }, 'timing.queued is "soon": "soon" is not a duration'],
])('refuses the options %j', (options, message) => {
  expect(() => createSimulator({ cacheDir: false, ...(options as EmbeddedOptions) })).toThrow(message)
})
