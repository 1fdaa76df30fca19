import { createFalClient, type FalClient, type ValidationError } from '@fal-ai/client'
import { expect, it } from 'vitest'
import type { NodeSimulator } from '../../../src/index.ts'
import { simulatorWith } from '../../support/own-apis.ts'

const app = 'fal-ai/kling-video/v2/master/text-to-video'

const clientOf = (sim: NodeSimulator, credentials = 'key-id:secret'): FalClient =>
  createFalClient({ credentials, fetch: sim.fetch, retry: { maxRetries: 0 } })

it('submits, polls and downloads for the official SDK', async () => {
  await using sim = await simulatorWith(['fal'])
  const seen: string[] = []
  const { data, requestId } = await clientOf(sim).subscribe(app, {
    input: { prompt: 'a red kite', duration: '5' },
    pollInterval: 1,
    onQueueUpdate: ({ status }) => void seen.push(status),
  })
  expect(requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  expect([...new Set(seen)]).toEqual(['IN_PROGRESS', 'COMPLETED'])
  const video = await sim.fetch((data as unknown as { video: { url: string } }).video.url)
  expect(video.headers.get('content-type')).toBe('video/mp4')
})

it('makes images for a model of images', async () => {
  await using sim = await simulatorWith(['fal'])
  const { data } = await clientOf(sim).subscribe('fal-ai/flux/dev', {
    input: { prompt: 'a red kite', num_images: 2 },
    pollInterval: 1,
  })
  expect(data.images).toHaveLength(2)
  const image = await sim.fetch(data.images[1]!.url)
  expect(image.headers.get('content-type')).toBe('image/png')
})

it('cancels a request, and only once', async () => {
  await using sim = await simulatorWith(['fal'])
  const { queue } = clientOf(sim)
  const { request_id: requestId } = await queue.submit(app, { input: { prompt: 'x [[render 10m]]' } })
  await queue.cancel(app, { requestId })
  expect(await queue.status(app, { requestId })).toMatchObject({ status: 'COMPLETED' })
  await expect(queue.cancel(app, { requestId })).rejects.toMatchObject({ status: 400 })
})

it('says why a request failed in its result', async () => {
  await using sim = await simulatorWith(['fal'])
  const failing = clientOf(sim).subscribe(app, { input: { prompt: 'x [[fail: policy]]' }, pollInterval: 1 })
  await expect(failing).rejects.toMatchObject({ status: 422, body: { detail: 'policy' } })
})

it('refuses as fal does', async () => {
  await using sim = await simulatorWith(['fal'])
  const { queue } = clientOf(sim)
  const invalid = (await queue
    .submit(app, { input: {} as { prompt: string } })
    .catch((error: unknown) => error)) as ValidationError
  expect(invalid.name).toBe('ValidationError')
  expect(invalid.fieldErrors[0]!.loc).toEqual(['body', 'prompt'])
  await expect(queue.status(app, { requestId: 'nope' })).rejects.toMatchObject({ status: 404 })
  const stranger = clientOf(sim, 'bad').queue.submit(app, { input: { prompt: 'x' } })
  await expect(stranger).rejects.toMatchObject({ status: 401, body: { detail: expect.any(String) } })
})
