import { expect, it } from 'vitest'
import { createSimulator, explore, type ExploredGateway, type Quirks } from '../../../src/index.ts'

/** Makes a video, knowing these words for its success. */
const makeVideo =
  (...known: string[]) =>
  async ({ fetch, sleep, baseUrl, key }: ExploredGateway): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
    const made = await fetch(`${baseUrl}/v1/video/generations`, { method: 'POST', headers, body })
    const { task_id: id } = (await made.json()) as { task_id: string }
    for (let polls = 0; polls < 100; polls++) {
      await sleep(6_000)
      const polled = await fetch(`${baseUrl}/v1/video/generations/${id}`, { headers })
      const { data } = (await polled.json()) as { data: { status: string } }
      if (known.includes(data.status)) return 'done'
    }
    throw new Error('the video is not ready')
  }

it.each<[Quirks['videoWords'], string, string]>([
  ['seed', 'SUCCESS', 'FAILURE'],
  ['completed', 'completed', 'expired'],
  ['cancelled', 'finished', 'cancelled'],
  ['succeeded', 'succeeded', 'failed'],
])('says how a video ended in the words of %s', async (videoWords, success, failure) => {
  await using sim = createSimulator({ seed: 1, quirks: { videoWords }, clock: 'manual' })
  const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
  const url = 'https://gateway.example/v1/video/generations'
  const endOf = async (prompt: string): Promise<unknown> => {
    const body = JSON.stringify({ model: 'video-1', prompt })
    const made = await (await sim.fetch(url, { method: 'POST', headers, body })).json()
    const { task_id: id } = made as { task_id: string }
    await sim.clock.advance('1h')
    const { data } = (await (await sim.fetch(`${url}/${id}`, { headers })).json()) as {
      data: { status: string }
    }
    return data.status
  }
  expect([await endOf('a red kite'), await endOf('a red kite [[fail: policy]]')]).toEqual([success, failure])
})

it('advises a client that knows only the words of the document, and accuses it of nothing', async () => {
  const options = { only: ['other words'] } as const
  const [documented, both] = await Promise.all([
    explore(makeVideo('SUCCESS'), options),
    explore(makeVideo('SUCCESS', 'succeeded'), options),
  ])
  expect(documented.findings).toEqual([])
  expect(documented.cells.map(({ state }) => state)).toEqual(['advised'])
  expect(both.cells.map(({ state }) => state)).toEqual(['survived'])
})
