import OpenAI from 'openai'
import { expect, it, vi } from 'vitest'
import { simulatorWith } from '../../support/own-apis.ts'

const hook = 'https://app.example/hook'

it.each([
  [
    'replicate',
    '/v1/predictions',
    'r8_key',
    { version: 'a/b', input: { prompt: 'a kite' }, webhook: hook },
    2,
  ],
  ['kling', '/v1/videos/text2video', 'eyJh.eyJp.c2ln', { prompt: 'a kite', callback_url: hook }, 3],
  ['fal', `/fal-ai/flux?fal_webhook=${encodeURIComponent(hook)}`, 'a-b:c', { prompt: 'a kite' }, 1],
] as const)('posts the changes of a job of %s', async (api, path, key, body, count) => {
  const received: { url: string; body: Record<string, unknown> }[] = []
  const deliver = async (request: Request): Promise<Response> => {
    received.push({ url: request.url, body: (await request.json()) as Record<string, unknown> })
    return new Response(null, { status: 200 })
  }
  await using sim = await simulatorWith([api], { clock: 'manual', deliver })
  const headers = {
    authorization: `${api === 'fal' ? 'Key' : 'Bearer'} ${key}`,
    'content-type': 'application/json',
  }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  expect((await sim.fetch(`http://x${path}`, init)).ok).toBe(true)
  await sim.clock.advance('1h')
  expect(received.map(({ url }) => url)).toEqual(Array.from({ length: count }, () => hook))
  const last = JSON.stringify(received.at(-1)!.body)
  expect(last).toMatch(/"(?:succeeded|succeed|OK)"/)
})

it('signs the webhooks of replicate so that a library verifies them', async () => {
  const received: { raw: string; headers: Headers }[] = []
  const deliver = async (request: Request): Promise<Response> => {
    received.push({ raw: await request.text(), headers: request.headers })
    return new Response(null, { status: 200 })
  }
  await using sim = await simulatorWith(['replicate'], { clock: 'manual', deliver })
  const headers = { authorization: 'Bearer r8_key', 'content-type': 'application/json' }
  const body = JSON.stringify({ version: 'a/b', input: { prompt: 'a kite' }, webhook: hook })
  await sim.fetch('http://x/v1/predictions', { method: 'POST', headers, body })
  await sim.clock.advance('1h')
  const [first] = received
  vi.useFakeTimers({ now: Number(first!.headers.get('webhook-timestamp')) * 1000, toFake: ['Date'] })
  const { webhooks } = new OpenAI({ apiKey: 'sk-a' })
  const event = await webhooks.unwrap(first!.raw, first!.headers, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD')
  vi.useRealTimers()
  expect(event).toMatchObject({ status: 'processing' })
})
