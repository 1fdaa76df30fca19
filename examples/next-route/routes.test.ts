// Calls the routes as Next.js does, with a Request, while MSW hands their own requests to the simulator.
import { expect, it } from 'vitest'
import { useGreenroom } from 'greenroom/vitest'
import { POST } from './app/api/videos/route.ts'
import { GET } from './app/api/videos/[id]/route.ts'
import { GET as download } from './app/api/videos/[id]/content/route.ts'

const gateway = useGreenroom({
  clock: { mode: 'manual' },
  env: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
})

const submit = (body: unknown): Promise<Response> =>
  POST(new Request('https://app.example/api/videos', { method: 'POST', body: JSON.stringify(body) }))

const get = (route: typeof GET, id: string): Promise<Response> =>
  route(new Request(`https://app.example/api/videos/${id}`), { params: Promise.resolve({ id }) })

it('makes a video: submit, poll, download', async () => {
  const submitted = await submit({ prompt: 'a red kite' })
  expect(submitted.status).toBe(202)
  const { id } = await submitted.json()
  expect(await (await get(GET, id)).json()).toMatchObject({ status: 'working' })

  await gateway.clock.advanceUntil(id, 'SUCCESS')

  expect(await (await get(GET, id)).json()).toEqual({ status: 'done', url: `/api/videos/${id}/content` })
  const video = new Uint8Array(await (await get(download, id)).arrayBuffer())
  expect(Buffer.from(video.subarray(4, 8)).toString()).toBe('ftyp')
  expect(gateway).toHaveSubmitted({ prompt: 'a red kite' }, { times: 1 })
})

it('says why a video failed', async () => {
  const { id } = await (await submit({ prompt: 'a red kite [[fail: content policy]]' })).json()
  await gateway.clock.advanceUntil(id, 'FAILURE')

  expect(await (await get(GET, id)).json()).toEqual({ status: 'failed', reason: 'content policy' })
})

it('passes Retry-After on to the page', async () => {
  gateway.next('video.submit', { respond: { status: 429, headers: { 'retry-after': '40' } } })

  const refused = await submit({ prompt: 'a red kite' })

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '40'])
})

it('does not submit twice when the answer gets lost', async () => {
  gateway.next('video.submit', { fault: 'reset' })

  expect((await submit({ prompt: 'a red kite' })).status).toBe(502)
  expect(gateway).toHaveRequested('video.submit', {}, { times: 1 })
})

it('never serves a damaged video', async () => {
  const { id } = await (await submit({ prompt: 'a red kite' })).json()
  await gateway.clock.advanceUntil(id, 'SUCCESS')
  gateway.next('video.content', { fault: { type: 'corrupt', bytes: 16 } })

  expect((await get(download, id)).status).toBe(503)
  expect((await get(download, id)).status).toBe(200)
})

it('submits nothing without a prompt', async () => {
  expect((await submit({ prompt: ' ' })).status).toBe(400)
  expect(gateway.journal()).toEqual([])
})
