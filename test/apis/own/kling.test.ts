import { expect, it } from 'vitest'
import type { NodeSimulator } from '../../../src/index.ts'
import { simulatorWith } from '../../support/own-apis.ts'

/** A JWT, as clients of Kling sign one. */
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhY2Nlc3MifQ.c2lnbmF0dXJl'

interface Answer {
  readonly code: number
  readonly message: string
  readonly data: {
    readonly task_id: string
    readonly task_status: string
    readonly task_status_msg?: string
    readonly task_result?: { readonly videos: readonly { readonly url: string; readonly duration: string }[] }
  }
}

async function call(sim: NodeSimulator, path: string, body?: object): Promise<Answer> {
  const response = await sim.fetch(`https://api.klingai.com${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.json() as Promise<Answer>
}

async function finish(sim: NodeSimulator, kind: string, body: object): Promise<Answer> {
  let answer = await call(sim, `/v1/videos/${kind}`, body)
  const { task_id: id } = answer.data
  while (!['succeed', 'failed'].includes(answer.data.task_status))
    answer = await call(sim, `/v1/videos/${kind}/${id}`)
  return answer
}

it('makes a video from a text', async () => {
  await using sim = await simulatorWith(['kling'])
  const { data } = await finish(sim, 'text2video', { prompt: 'a red kite', duration: '10' })
  expect(data).toMatchObject({ task_status: 'succeed', task_id: expect.stringMatching(/^\d{18}$/) })
  const [video] = data.task_result!.videos
  expect(video!.duration).toBe('10')
  expect((await sim.fetch(video!.url)).headers.get('content-type')).toBe('video/mp4')
})

it('makes a video from an image', async () => {
  await using sim = await simulatorWith(['kling'])
  const image = 'https://pictures.example/kite.png'
  const { data } = await finish(sim, 'image2video', { image, prompt: 'it flies' })
  expect(data.task_status).toBe('succeed')
  expect(sim.task(data.task_id).request).toMatchObject({ imageUrl: image })
})

it('fails with a reason, and refuses with its codes', async () => {
  await using sim = await simulatorWith(['kling'])
  const { data } = await finish(sim, 'text2video', { prompt: 'x [[fail: risk control]]' })
  expect(data).toMatchObject({ task_status: 'failed', task_status_msg: 'risk control' })
  expect(await call(sim, '/v1/videos/text2video', { prompt: 'x', duration: '7' })).toMatchObject({
    code: 1201,
    message: expect.stringContaining('duration'),
  })
  expect(await call(sim, '/v1/videos/text2video/nope')).toMatchObject({ code: 1203 })
})
