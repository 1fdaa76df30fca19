import { expect, it } from 'vitest'
import {
  createSimulator,
  explore,
  ExploreError,
  type ExploredGateway,
  type ExploreOptions,
} from '../../../src/index.ts'

type Store = Map<string, string>
type Gateway = ExploredGateway<Store>

/** What the client does where clients go wrong after a crash. */
interface Habits {
  readonly storesIntent?: boolean
  readonly storesId?: boolean
  readonly lists?: boolean
}

/** Makes a video, step by step, with everything that it knows in the store. */
function client({ storesIntent = true, storesId = true, lists = false }: Habits) {
  return async ({ fetch, baseUrl, key, sleep, store }: Gateway): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const send = async (path: string, init?: RequestInit): Promise<Response> => {
      const response = await fetch(baseUrl + path, { headers, ...init })
      if (!response.ok) throw new Error(`${path} returned ${response.status}`)
      return response
    }
    if (store.has('submitting') && !store.has('id')) {
      if (!lists) throw new Error('the video may have been submitted: look for its task')
      const { data } = (await (await send('/v1/videos')).json()) as { data: { id: string }[] }
      if (data[0]) store.set('id', data[0].id)
    }
    if (!store.has('id')) {
      if (storesIntent) store.set('submitting', 'yes')
      const body = JSON.stringify({ model: 'video-1', prompt: 'a kite', duration: 1, size: '128x96' })
      const response = await send('/v1/video/generations', { method: 'POST', body })
      const { task_id } = (await response.json()) as { task_id: string }
      if (storesId) store.set('id', task_id)
      else return finish(task_id)
    }
    return finish(store.get('id')!)

    async function finish(id: string): Promise<string> {
      for (let status = ''; status !== 'SUCCESS';) {
        await sleep(5_000)
        const polled = await (await send(`/v1/video/generations/${id}`)).json()
        status = (polled as { data: { status: string } }).data.status
      }
      const bytes = await (await send(`/v1/videos/${id}/content`)).arrayBuffer()
      return `${bytes.byteLength} bytes`
    }
  }
}

const listing = { version: 1, config: { video: { listAndDelete: true } } } as const

const options = (more: ExploreOptions<string, Store> = {}): ExploreOptions<string, Store> => ({
  createStore: () => new Map<string, string>(),
  only: ['crash'],
  ...more,
})

async function keysOf(exploring: Promise<unknown>): Promise<string[]> {
  const error = await exploring.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ExploreError)
  return (error as ExploreError).findings.map(({ key }) => key)
}

it('calls a client again after each crash, with what it has stored', async () => {
  const { cells, score } = await explore(client({}), options())
  expect(cells.map(({ schedule, state }) => `${schedule.name}: ${state}`)).toEqual([
    'crash @ video.submit: reported',
    'crash @ video.poll IN_PROGRESS: survived',
    'crash @ video.poll done: survived',
    'crash @ video.content: survived',
    'crash after @ video.submit: reported',
    'crash after @ video.poll IN_PROGRESS: survived',
    'crash after @ video.poll done: survived',
    'crash after @ video.content: survived',
  ])
  expect(score).toBe(100)
})

it('explores no crash without a store', async () => {
  const makeVideo = client({})
  const once = ({ fetch, baseUrl, key, sleep }: ExploredGateway): Promise<string> =>
    makeVideo({ fetch, baseUrl, key, sleep, store: new Map() })
  await expect(explore(once, { only: ['crash'] })).rejects.toThrow('Nothing was tried')
})

it('finds a client that forgets the task that was accepted', async () => {
  expect(await keysOf(explore(client({ storesIntent: false, storesId: false }), options()))).toEqual([
    'paid twice | resubmits-after-crash',
  ])
})

it('shows a submission of which the client could not know the first as one that may pay twice', async () => {
  const { cells } = await explore(client({ storesIntent: false }), options())
  const states = new Map(cells.map(({ schedule, state }) => [schedule.name, state]))
  expect(states.get('crash @ video.submit')).toBe('survived')
  expect(states.get('crash after @ video.submit')).toBe('resubmitted')
})

it('fails for it where the gateway lists its tasks', async () => {
  const exploring = explore(client({ storesIntent: false }), options({ scenario: listing }))
  expect(await keysOf(exploring)).toEqual(['paid twice | resubmits-unlisted | video.submit'])
})

it('accepts a client that lists its tasks after a crash', async () => {
  const { cells } = await explore(client({ lists: true }), options({ scenario: listing }))
  expect(new Set(cells.map(({ state }) => state))).toEqual(new Set(['survived']))
})

it('writes a finding as a scenario with its crash', async () => {
  const message = await explore(client({ storesIntent: false, storesId: false }), options()).catch(
    ({ message }: ExploreError) => message,
  )
  expect(message).toContain('crash:\n  - op: video.poll\n    nth: 1\n')
})

it('plays no scenario with a crash in a simulator, which starts no client', () => {
  const crash = [{ op: 'video.poll', nth: 1 }] as const
  expect(() => createSimulator({ scenario: { version: 1, crash: [...crash] } })).toThrow('it has crash')
})
