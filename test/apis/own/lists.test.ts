import { expect, it } from 'vitest'
import { answer, cancel, defineApi, list, remove, type Job } from '../../../src/apis/own/index.ts'
import { explore, type ExploredClient } from '../../../src/index.ts'
import { acme, call as send, create, get, makeJob, simulatorOf } from './acme.ts'

const all = list({
  route: 'GET /acme/jobs',
  filter: (job, { query }) => [null, job.status].includes(query.get('status')),
  page: ({ query }) => ({ limit: Number(query.get('limit') ?? 10), after: query.get('cursor') }),
  reply: (jobs, { next, total }) => ({ ids: jobs.map(({ id }) => id), total, ...(next && { cursor: next }) }),
})
const forget = remove({ route: 'DELETE /acme/jobs/{id}', reply: () => answer(204) })
const operations = { create, get, forget, all }

interface Page {
  readonly ids: readonly string[]
  readonly total: number
  readonly cursor?: string
}
type Sim = ReturnType<typeof simulatorOf>
const pageOf = async (sim: Sim, query = ''): Promise<Page> =>
  JSON.parse((await send(sim, 'GET', `/acme/jobs${query}`)).text) as Page

it('lists the jobs of a key in pages, the newest first', async () => {
  await using sim = simulatorOf({ operations })
  const ids = [await makeJob(sim, 'one'), await makeJob(sim, 'two'), await makeJob(sim, 'three')]
  const first = await pageOf(sim, '?limit=2')
  expect(first).toEqual({ ids: [ids[2], ids[1]], total: 3, cursor: ids[1] })
  expect(await pageOf(sim, `?limit=2&cursor=${first.cursor}`)).toEqual({ ids: [ids[0]], total: 3 })
  const headers = { authorization: 'Bearer sk-b' }
  expect((await send(sim, 'GET', '/acme/jobs', { headers })).text).toBe('{"ids":[],"total":0}')
})

it('lists pages by number, the oldest first', async () => {
  const all = list({
    route: 'GET /acme/jobs',
    order: 'oldest',
    page: ({ query }) => ({ limit: 2, from: (Number(query.get('page')) - 1) * 2 }),
    reply: (jobs) => jobs.map(({ id }) => id),
  })
  await using sim = simulatorOf({ operations: { create, get, all } })
  const ids = [await makeJob(sim, 'one'), await makeJob(sim, 'two'), await makeJob(sim, 'three')]
  expect((await send(sim, 'GET', '/acme/jobs?page=2')).text).toBe(JSON.stringify([ids[2]]))
})

it('lists jobs of one state only', async () => {
  await using sim = simulatorOf({ operations }, { clock: { mode: 'manual' } })
  await makeJob(sim)
  expect((await pageOf(sim, '?status=waiting')).total).toBe(1)
  await sim.clock.advance('5m')
  expect((await pageOf(sim, '?status=waiting')).total).toBe(0)
  expect((await pageOf(sim, '?status=ready')).total).toBe(1)
})

it.each([
  ['?limit=0', 422, 'The limit of a page must be a whole number from 1'],
  ['?limit=many', 422, 'The limit of a page must be a whole number from 1'],
  ['?cursor=none', 404, 'none names no job of the list'],
])('refuses the page %s', async (query, status, message) => {
  await using sim = simulatorOf({ operations })
  expect(await send(sim, 'GET', `/acme/jobs${query}`)).toMatchObject({
    status,
    text: JSON.stringify({ oops: message }),
  })
})

it('reads the page of a list from a body', async () => {
  const all = list({
    route: 'POST /acme/list',
    page: ({ body }) => ({ limit: Number(body['max']) }),
    reply: (jobs) => jobs.length,
  })
  await using sim = simulatorOf({ operations: { create, get, all } })
  await makeJob(sim, 'one')
  await makeJob(sim, 'two')
  expect((await send(sim, 'POST', '/acme/list', { body: { max: 1 } })).text).toBe('1')
})

it('moves an automatic clock for a client that only lists', async () => {
  await using sim = simulatorOf({ timing: { queued: 0, render: '20s' }, operations })
  await makeJob(sim)
  let polls = 0
  while (polls < 20 && (await pageOf(sim, '?status=ready')).total === 0) polls++
  expect(polls).toBeLessThan(10)
})

it('forgets a job that is deleted: its poll, its cancellation and its file are refused, and no list has it', async () => {
  const stop = cancel({ route: 'POST /acme/jobs/{id}/stop', reply: ({ status }) => status })
  await using sim = simulatorOf({ operations: { ...operations, stop } })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  const { url } = JSON.parse((await send(sim, 'GET', `/acme/jobs/${id}`)).text) as { url: string }
  expect(await send(sim, 'DELETE', `/acme/jobs/${id}`)).toMatchObject({ status: 204, text: '' })
  for (const [method, path] of [
    ['GET', `/acme/jobs/${id}`],
    ['POST', `/acme/jobs/${id}/stop`],
    ['DELETE', `/acme/jobs/${id}`],
    ['GET', url],
  ] as const)
    expect([path, (await send(sim, method, path)).status]).toEqual([path, 404])
  expect(await pageOf(sim)).toEqual({ ids: [], total: 0 })
})

it('lets rules, faults and the journal see lists and deletions', async () => {
  await using sim = simulatorOf({ operations })
  const id = await makeJob(sim)
  sim.next('acme.all' as never, { respond: { status: 503 } })
  sim.next('acme.forget' as never, { respond: { status: 429, retryAfter: '5s' } })
  expect(await send(sim, 'GET', '/acme/jobs')).toMatchObject({ status: 503 })
  expect(await send(sim, 'DELETE', `/acme/jobs/${id}`)).toMatchObject({ status: 429 })
  expect(await pageOf(sim)).toMatchObject({ ids: [id] })
  expect(sim.journal({ last: 3 })).toMatchObject([
    { operation: 'acme.all', role: 'list', status: 503 },
    { operation: 'acme.forget', role: 'cancel', task: id, status: 429 },
    { operation: 'acme.all', role: 'list', kind: 'acme', status: 200 },
  ])
})

it('answers with 500 for a page that is none', async () => {
  const all = list({
    route: 'GET /acme/jobs',
    page: () => 3 as never,
    reply: (jobs: readonly Job[]) => jobs.length,
  })
  await using sim = simulatorOf({ operations: { create, get, all } }, { onWarning: () => {} })
  const { status, text } = await send(sim, 'GET', '/acme/jobs')
  expect([status, text]).toEqual([
    500,
    expect.stringContaining(
      'acme.all failed in page: it returns 3. Return { limit, after } or { limit, from }',
    ),
  ])
})

/** Follows its job by a list alone, and deletes it at the end. */
const follower: ExploredClient<unknown> = async ({ fetch, baseUrl, key, sleep }) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(baseUrl + path, { headers, ...init })
      if (response.ok) return response
      if (tries === 5) throw new Error(`${path} returned ${response.status}`)
      await sleep(2_000 * tries)
    }
  }
  const made = await ask('/acme/jobs', { method: 'POST', body: JSON.stringify({ text: 'a kite' }) })
  const { id } = (await made.json()) as { id: string }
  for (;;) {
    await sleep(5_000)
    const { ids } = (await (await ask('/acme/jobs?status=ready')).json()) as Page
    if (ids.includes(id)) break
  }
  await ask(`/acme/jobs/${id}`, { method: 'DELETE' })
  return 'made'
}

it('explores the requests of lists and deletions, and accuses no careful client', async () => {
  const apis = [defineApi({ ...acme, timing: { queued: 0, render: '20s' }, operations })]
  const { cells } = await explore(follower, { only: ['503'], scenario: { version: 1, config: { apis } } })
  expect(cells.map(({ schedule, state }) => [schedule.name, state])).toEqual([
    ['503 @ acme.create', 'survived'],
    ['503 @ acme.all first', 'survived'],
    ['503 @ acme.all middle', 'survived'],
    ['503 @ acme.all last', 'survived'],
    ['503 @ acme.forget', 'survived'],
  ])
})
