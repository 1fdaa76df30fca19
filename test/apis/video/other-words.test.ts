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
      const { data } = (await polled.json()) as { data: { status: string } | null }
      if (known.length > 1 && data === null) continue
      if (known.includes(data!.status)) return 'done'
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

it('says nothing of a queued video in a poll without data', async () => {
  await using sim = createSimulator({ quirks: { videoQueuedPolls: 'no-data' }, clock: 'manual' })
  const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
  const url = 'https://gateway.example/v1/video/generations'
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite' })
  const made = await (await sim.fetch(url, { method: 'POST', headers, body })).json()
  const poll = () => sim.fetch(`${url}/${(made as { task_id: string }).task_id}`, { headers })
  const early = await poll()
  expect([early.status, await early.json()]).toEqual([
    200,
    { code: 'task_not_exist', message: 'The task does not exist', data: null },
  ])
  await sim.clock.advance('1h')
  expect(await (await poll()).json()).toMatchObject({ code: 'success', data: { status: 'SUCCESS' } })
})

it.each(['other words', 'polls without data'])(
  'advises a client that knows only the words of the document, and accuses it of nothing: %s',
  async (gateway) => {
    const options = { only: [gateway], seed: 3 } as const
    const [documented, both] = await Promise.all([
      explore(makeVideo('SUCCESS'), options),
      explore(makeVideo('SUCCESS', 'succeeded'), options),
    ])
    expect(documented.findings).toEqual([])
    expect(documented.cells.map(({ state }) => state)).toEqual(['advised'])
    expect(both.cells.map(({ state }) => state)).toEqual(['survived'])
  },
)
