import { expect, it } from 'vitest'
import { cancel, defineApi, kitFor, poll, type ApiDefinition } from '../../../src/apis/own/index.ts'
import { explore, type ExploredClient, type ExploreOptions } from '../../../src/index.ts'
import { acme, call as send, create, get, makeJob, simulatorOf } from './acme.ts'

const states = {
  queue: ['PENDING', 'THROTTLED'],
  work: 'RUNNING',
  success: ['SUCCEEDED', 'DONE'],
  failure: 'FAILED',
  cancelled: 'CANCELLED',
} as const
const timing = { queued: '10s', render: '1m' }

const statusOf = async (sim: ReturnType<typeof simulatorOf>, id: string): Promise<string> =>
  (JSON.parse((await send(sim, 'GET', `/acme/jobs/${id}`)).text) as { status: string }).status

it('uses the first of several words for a state, unless a quirk chooses another one', async () => {
  const clock = { mode: 'manual' } as const
  await using sim = simulatorOf({ states, timing }, { clock })
  await using other = simulatorOf(
    { states, timing },
    { clock, quirks: { acmeQueue: 'THROTTLED', acmeSuccess: 'DONE' } as never },
  )
  const id = await makeJob(sim)
  expect(await makeJob(other)).toBe(id)
  expect([await statusOf(sim, id), await statusOf(other, id)]).toEqual(['PENDING', 'THROTTLED'])
  for (const each of [sim, other]) await each.clock.advance('5m')
  expect([await statusOf(sim, id), await statusOf(other, id)]).toEqual(['SUCCEEDED', 'DONE'])
})

it('knows the types of all words', () => {
  const { poll: typed } = kitFor({ states })
  const status = typed({ route: 'GET /acme/jobs/{id}', reply: (job) => job.status satisfies 'PENDING' | 'THROTTLED' | 'RUNNING' | 'SUCCEEDED' | 'DONE' | 'FAILED' | 'CANCELLED' }) // prettier-ignore
  expect(status.role).toBe('poll')
})

it.each<[string, Partial<ApiDefinition>]>([
  ['states has "a" twice.', { states: { ...states, queue: ['a', 'a'] } }],
  ["states.queue is []. Write the vendor's word", { states: { ...states, queue: [] } }],
  ['states has cancelling and no cancelled.', { states: { ...acme.states, cancelling: 'stopping' } }],
  [
    'quirks.acmeQueue has the name of the quirk for a state with several words.',
    { states, quirks: { acmeQueue: { values: ['a', 'b'], description: 'x' } } },
  ],
])('refuses a definition: %s', (message, change) => {
  expect(() => defineApi({ ...acme, ...change })).toThrow(message)
})

it.each(['cancelled', 'CANCELLED'])('lets someone else cancel a job: outcome %s', async (outcome) => {
  await using sim = simulatorOf({ states, timing }, { clock: { mode: 'manual' } })
  sim.next('acme.create' as never, { task: { outcome, failAt: '50%' } })
  const id = await makeJob(sim)
  await sim.clock.advance('39s')
  expect(await statusOf(sim, id)).toBe('RUNNING')
  await sim.clock.advance('1s')
  expect(await statusOf(sim, id)).toBe('CANCELLED')
})

it('fails a job that someone else cancels if the vendor has no word for it', async () => {
  const read = poll({ route: 'GET /acme/jobs/{id}', reply: ({ status, reason }) => ({ status, reason }) })
  await using sim = simulatorOf({ operations: { create, read } })
  sim.next('acme.create' as never, { task: { outcome: 'cancelled' } })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  expect((await send(sim, 'GET', `/acme/jobs/${id}`)).text).toBe('{"status":"broken","reason":"cancelled"}')
})

it('tells of an outcome that no job has', async () => {
  await using sim = simulatorOf({ states })
  sim.next('acme.create' as never, { task: { outcome: 'CANCELED' } })
  const { status, text } = await send(sim, 'POST', '/acme/jobs', { body: { text: 'a' } })
  expect([status, text]).toEqual([500, expect.stringContaining('no task ends as \\"CANCELED\\"')])
})

it('shows a job as cancelling for a while, with the progress that it had', async () => {
  const stop = cancel({
    route: 'DELETE /acme/jobs/{id}',
    reply: ({ status }, { hasEnded }) => ({ status, hasEnded }),
  })
  const read = poll({
    route: 'GET /acme/jobs/{id}',
    reply: ({ status, progress, isCancelling, isDone }) => ({ status, progress, isCancelling, isDone }),
  })
  await using sim = simulatorOf(
    {
      states: { ...states, cancelling: 'CANCELLING' },
      timing: { ...timing, cancelling: '20s' },
      operations: { create, read, stop },
    },
    { clock: { mode: 'manual' } },
  )
  const id = await makeJob(sim)
  await sim.clock.advance('40s')
  expect((await send(sim, 'DELETE', `/acme/jobs/${id}`)).text).toBe(
    '{"status":"CANCELLING","hasEnded":false}',
  )
  await sim.clock.advance('19s')
  expect((await send(sim, 'DELETE', `/acme/jobs/${id}`)).text).toBe(
    '{"status":"CANCELLING","hasEnded":false}',
  )
  expect(JSON.parse((await send(sim, 'GET', `/acme/jobs/${id}`)).text)).toEqual({
    status: 'CANCELLING',
    progress: 49,
    isCancelling: true,
    isDone: false,
  })
  await sim.clock.advance('1s')
  expect((await send(sim, 'DELETE', `/acme/jobs/${id}`)).text).toBe('{"status":"CANCELLED","hasEnded":true}')
})

/** Polls until the job has a status that it knows as an end. */
const follower =
  (known: readonly string[], ends: readonly string[]): ExploredClient<unknown> =>
  async ({ fetch, baseUrl, key, sleep }) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const ask = async (path: string, init = {}): Promise<{ id: string; status: string }> => {
      const response = await fetch(baseUrl + path, { headers, ...init })
      if (!response.ok) throw new Error(`${path} returned ${response.status}`)
      return (await response.json()) as { id: string; status: string }
    }
    const { id } = await ask('/acme/jobs', { method: 'POST', body: JSON.stringify({ text: 'x' }) })
    for (let polls = 0; polls < 200; polls++) {
      await sleep(5_000)
      const { status } = await ask(`/acme/jobs/${id}`)
      if (['SUCCEEDED', 'DONE'].includes(status)) return 'made'
      if (ends.includes(status)) throw new Error(`The job is ${status}`)
      if (!known.includes(status)) throw new Error(`The status ${status} is not known`)
    }
    throw new Error('The job did not end')
  }

const exploreAcme = (client: ExploredClient<unknown>, options: ExploreOptions<unknown>) => {
  const apis = [defineApi({ ...acme, states, timing, operations: { create, get } })]
  return explore(client, { ...options, scenario: { version: 1, config: { apis } } })
}
const everyWord = ['PENDING', 'THROTTLED', 'RUNNING']

it('explores each further word for a state', async () => {
  const only = ['acme THROTTLED', 'acme DONE']
  const { cells } = await exploreAcme(follower(everyWord, ['FAILED', 'CANCELLED']), { only })
  expect(cells.map(({ schedule, state }) => [schedule.name, state])).toEqual([
    ['acme THROTTLED', 'survived'],
    ['acme DONE', 'survived'],
  ])
  const ignorant = exploreAcme(follower(['PENDING', 'RUNNING'], ['FAILED', 'CANCELLED']), { only })
  await expect(ignorant).rejects.toThrow(
    'A job may be PENDING or THROTTLED in the same state: know each word.',
  )
})

it('explores a job that someone else cancels', async () => {
  const only = ['cancelled']
  const { cells } = await exploreAcme(follower(everyWord, ['FAILED', 'CANCELLED']), { only })
  expect(cells.map(({ state }) => state)).toEqual(['reported'])
  const ignorant = exploreAcme(follower([...everyWord, 'CANCELLED'], ['FAILED']), { only })
  await expect(ignorant).rejects.toThrow('cancelled @ acme.create')
})
