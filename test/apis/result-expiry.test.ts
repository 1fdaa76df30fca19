import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type SimulatorOptions } from '../../src/index.ts'

const base = 'https://gateway.example'
const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

function open(options: SimulatorOptions = {}): EmbeddedSimulator {
  return createSimulator({ resultExpiresAfter: '1h', clock: 'manual', ...options })
}

async function submit(sim: EmbeddedSimulator, path: string, body: object): Promise<Record<string, string>> {
  const response = await sim.fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await sim.clock.advance('5m')
  return (await response.json()) as Record<string, string>
}

async function pollVideo(sim: EmbeddedSimulator, id: string): Promise<string> {
  const response = await sim.fetch(`${base}/v1/video/generations/${id}`, { headers })
  return ((await response.json()) as { data: { result_url: string } }).data.result_url
}

const download = (sim: EmbeddedSimulator, url: string): Promise<Response> => sim.fetch(url, { headers })

const video = { model: 'video-1', prompt: 'a red kite', size: '128x96', duration: 1 }

it('keeps the URL of a video as the gateway documents it, if results do not expire', async () => {
  await using sim = createSimulator({ clock: 'manual' })
  const { task_id: id } = await submit(sim, '/v1/video/generations', video)
  expect(await pollVideo(sim, id!)).toBe(`${base}/v1/videos/${id}/content`)
})

it('refuses the link of a video an hour after the poll, and gives a new one by the next poll', async () => {
  await using sim = open()
  const { task_id: id } = await submit(sim, '/v1/video/generations', video)
  const link = await pollVideo(sim, id!)
  await sim.clock.advance('59m')
  expect((await download(sim, link)).status).toBe(200)
  await sim.clock.advance('1m')
  const refused = await download(sim, link)
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({ error: { message: 'This link has expired' } })
  const renewed = await pollVideo(sim, id!)
  expect(renewed).not.toBe(link)
  expect((await download(sim, renewed)).status).toBe(200)
  expect((await download(sim, link)).status).toBe(403)
})

it('needs the key for a link, and refuses one that was changed', async () => {
  await using sim = open()
  const { task_id: id } = await submit(sim, '/v1/video/generations', video)
  const link = await pollVideo(sim, id!)
  expect((await sim.fetch(link)).status).toBe(401)
  expect((await download(sim, link.replace(/until=\d+/, 'until=9999999999999'))).status).toBe(403)
})

it('refuses a URL that a client has built itself an hour after the latest poll', async () => {
  await using sim = open()
  for (const path of ['/v1/video/generations', '/v1/videos']) {
    const { id } = await submit(sim, path, { ...video, seconds: '1' })
    const url = `${base}/v1/videos/${id}/content`
    await sim.fetch(`${base}${path}/${id}`, { headers })
    await sim.clock.advance('1h')
    expect((await download(sim, url)).status).toBe(403)
    await sim.fetch(`${base}${path}/${id}`, { headers })
    expect((await download(sim, url)).status).toBe(200)
  }
})

it('refuses the link of an image and of its videos, in their envelopes', async () => {
  await using sim = open()
  const poll = async (id: string): Promise<{ imageUrl: string; videoUrl: string }> =>
    (await (await sim.fetch(`${base}/mj/task/${id}/fetch`, { headers })).json()) as never
  const { result: id } = await submit(sim, '/mj/submit/imagine', { prompt: 'a red kite' })
  const { imageUrl } = await poll(id!)
  expect((await download(sim, imageUrl)).status).toBe(200)
  await sim.clock.advance('1h')
  const refused = await download(sim, imageUrl)
  expect([refused.status, await refused.json()]).toEqual([403, { error: 'This link has expired' }])
  expect((await download(sim, (await poll(id!)).imageUrl)).status).toBe(200)
})

it('redirects to a link only while the result works', async () => {
  await using sim = open({ quirks: { contentDelivery: 'redirect' } })
  const { task_id: id } = await submit(sim, '/v1/video/generations', video)
  const link = await pollVideo(sim, id!)
  const redirected = await sim.fetch(link, { headers, redirect: 'manual' })
  expect(redirected.status).toBe(302)
  expect((await sim.fetch(redirected.headers.get('location')!)).status).toBe(200)
  await sim.clock.advance('1h')
  expect((await sim.fetch(link, { headers, redirect: 'manual' })).status).toBe(403)
})
