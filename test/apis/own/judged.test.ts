import { expect, it } from 'vitest'
import { answer, defineApi, download, poll, result, type ApiDefinition } from '../../../src/apis/own/index.ts'
import { explore, type ExploredClient, type ExploreOptions, type Scenario } from '../../../src/index.ts'
import { acme, call, create, get, makeJob, simulatorOf } from './acme.ts'

const file = poll({
  route: 'GET /acme/jobs/{id}',
  reply: (job) => (job.hasSucceeded ? job.file : answer(202, { status: job.status })),
})
const withFile = { operations: { create, get: file } }

it('counts a poll that sends the file as a download', async () => {
  const scenario = { version: 1, expect: { artifacts: [{ kind: 'acme', downloaded: 'intact' }] } }
  await using sim = simulatorOf(withFile, { scenario: scenario as Scenario })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  await call(sim, 'GET', `/acme/jobs/${id}`)
  const { results, invariants } = await sim.verdict()
  expect(results.find(({ path }) => path.startsWith('artifacts'))).toMatchObject({ verdict: 'pass' })
  expect(invariants.find(({ name }) => name === 'no-early-download')).toMatchObject({ verdict: 'pass' })
})

it.each(['invalid-json', 'wrong-type'] as const)(
  'counts a file as received in spite of %s',
  async (fault) => {
    await using sim = simulatorOf(withFile)
    const id = await makeJob(sim)
    await sim.clock.advance('5m')
    sim.next('acme.get' as never, { fault })
    const { status } = await call(sim, 'GET', `/acme/jobs/${id}`)
    expect(status).toBe(200)
    await sim.expectNoAbandonedTasks()
  },
)

it('says in the journal that a fault could not break a response', async () => {
  await using sim = simulatorOf(withFile)
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  sim.next('acme.get' as never, { fault: 'invalid-json' })
  await call(sim, 'GET', `/acme/jobs/${id}`)
  expect(sim.journal().at(-1)).toMatchObject({
    fault: null,
    sendsFile: true,
    hint: "The fault invalid-json can't break this response.",
  })
})

it('judges the interval that a poll has, also if it answers with 202', async () => {
  for (const [interval, verdict, reason] of [
    [undefined, 'not-exercised', 'no interval is known for acme.get. Write min or max'],
    [{ min: '1s', max: '3s' }, 'fail', undefined],
    [{ min: '1s' }, 'pass', undefined],
  ] as const) {
    const timed = interval ? { ...file, interval } : file
    await using sim = simulatorOf({ operations: { create, get: timed } as ApiDefinition['operations'] })
    const id = await makeJob(sim)
    for (let polls = 0; polls < 2; polls++) {
      await call(sim, 'GET', `/acme/jobs/${id}`)
      await sim.clock.sleep(5_000)
    }
    const { invariants } = await sim.verdict()
    const judged = invariants.find(({ name }) => name === 'poll-interval')
    expect(judged).toMatchObject({ verdict, ...(reason && { reason }) })
  }
})

/** Explores a client of an API that differs from the usual one. */
const exploreAcme = (
  client: ExploredClient<unknown>,
  only: string[],
  change: Partial<ApiDefinition> = {},
  options: ExploreOptions<unknown> = {},
) => {
  const apis = [defineApi({ ...acme, ...change })]
  return explore(client, { ...options, only, scenario: { version: 1, config: { apis } } })
}

type Get = (path: string) => Promise<Response>

/** Polls until the job has ended, and returns what `end` makes of the last response. */
const follow =
  (end: (response: Response, get: Get, fetch: Get) => unknown): ExploredClient<unknown> =>
  async ({ fetch, baseUrl, key, sleep }) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const send = (path: string, init = {}): Promise<Response> => fetch(baseUrl + path, { headers, ...init })
    const made = await send('/acme/jobs', { method: 'POST', body: JSON.stringify({ text: 'x' }) })
    if (made.status >= 400) throw new Error(`The submission returned ${made.status}`)
    const { id } = (await made.json()) as { id: string }
    for (;;) {
      await sleep(5_000)
      const response = await send(`/acme/jobs/${id}`)
      if (response.status >= 400) throw new Error(`The poll returned ${response.status}`)
      const isJson = response.headers.get('content-type') === 'application/json'
      const { status } = isJson ? ((await response.clone().json()) as { status: string }) : { status: '' }
      if (status !== 'waiting' && status !== 'drawing')
        return end(
          response,
          (part) => send(`/acme/jobs/${id}/${part}`),
          (url) => fetch(url),
        )
    }
  }

const failWithoutReason = follow(async (response) => {
  const { status } = (await response.json()) as { status: string }
  if (status === 'broken') throw new Error('The job failed')
  return status
})

it('explores a poll that sends the file as a download', async () => {
  const keepBytes = follow((response) => response.arrayBuffer())
  const found = exploreAcme(keepBytes, ['corrupt', 'invalid-json'], withFile)
  await expect(found).rejects.toThrow('WRONG RESULT: The client keeps')
  await expect(found).rejects.toThrow('corrupt @ acme.get done')
  await expect(found).rejects.not.toThrow('invalid-json @ acme.get done')
})

it('expects the reason of a failure only of a client that got it', async () => {
  const { cells } = await exploreAcme(failWithoutReason, ['fails'])
  expect(cells.map(({ state }) => state)).toEqual(['reported'])
  const withReason = poll({
    route: 'GET /acme/jobs/{id}',
    reply: ({ status, reason }) => ({ status, reason }),
  })
  const found = exploreAcme(failWithoutReason, ['fails'], { operations: { create, get: withReason } })
  await expect(found).rejects.toThrow('The client reports that a task failed, but not why')
})

it('ends an exploration with the error of a definition, and does not judge the client by it', async () => {
  const broken = poll({
    route: 'GET /acme/jobs/{id}',
    reply: ({ status, hasFailed }) => {
      if (hasFailed) throw new TypeError('boom')
      return { status }
    },
  })
  await expect(
    exploreAcme(failWithoutReason, ['fails'], { operations: { create, get: broken } }),
  ).rejects.toThrow(
    /The definition of acme\.get threw in reply: TypeError: boom \(judged\.test\.ts:\d+\)\. Correct the file/,
  )
})

it('repeats a result that a client does not get', async () => {
  const output = result({ route: 'GET /acme/jobs/{id}/output', reply: ({ url }) => ({ url }) })
  const ignoreResult = follow(async (_response, get, fetch) => {
    const { url } = (await (await get('output')).json()) as { url?: string }
    return url === undefined ? 'done' : (await fetch(url)).arrayBuffer()
  })
  const found = exploreAcme(ignoreResult, ['401'], { operations: { create, get, output } })
  await expect(found).rejects.toThrow('WRONG RESULT: The client succeeds, but never downloads')
})

it('fails an exploration that tries nothing', async () => {
  await expect(exploreAcme(failWithoutReason, ['corrupt'])).rejects.toThrow(
    'Nothing was tried: the client sent no request, or none that fits only and skip.',
  )
})

it('tries links that expire if the download of a definition says so', async () => {
  const file = download({ route: 'GET /acme/files/{id}', linkExpires: '1h' })
  const trustLink = follow(async (response, _get, fetch) => {
    const { url } = (await response.json()) as { url?: string }
    if (url === undefined) throw new Error('The job failed')
    const downloaded = await fetch(url)
    if (!downloaded.ok) throw new Error(`The download returned ${downloaded.status}`)
    return downloaded.arrayBuffer()
  })
  const found = exploreAcme(trustLink, ['expired acme.file'], { operations: { create, get, file } })
  await expect(found).rejects.toThrow('expired acme.file')
})

it('invents no price for a job, but follows it as one that costs something', async () => {
  await using sim = simulatorOf({})
  await makeJob(sim)
  const { spent } = await sim.verdict()
  expect([spent, sim.usage()[0]!.reserved]).toEqual([0, 0])
  await expect(sim.expectNoAbandonedTasks()).rejects.toThrow('The client left task')
  await using priced = simulatorOf({}, { prices: [{ models: 'acme-*', perTask: 0.25 }] })
  await makeJob(priced)
  expect((await priced.verdict()).spent).toBe(0.25)
})
