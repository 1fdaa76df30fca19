import { expect, it, onTestFinished, vi } from 'vitest'
import { explore, ExploreError, type ExploredGateway } from '../../../src/index.ts'
import { needs } from '../../support/needs.ts'

const pollIntervalMs = 10_000

/** A client that gives its task up when `isLate` says so. */
const pollUntil =
  (startDeadline: () => () => boolean) =>
  async ({ fetch, sleep, baseUrl, key }: ExploredGateway): Promise<string> => {
    const isLate = startDeadline()
    const call = async (path: string, body?: object): Promise<Record<string, any>> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      const response = await fetch(`${baseUrl}${path}`, { ...init, headers })
      if (!response.ok) throw new Error(`status ${response.status}`)
      return (await response.json()) as Record<string, any>
    }
    const { task_id: id } = await call('/v1/video/generations', { model: 'video-1', prompt: 'a kite' })
    while (!isLate()) {
      await sleep(pollIntervalMs)
      const { data } = await call(`/v1/video/generations/${id}`)
      if (data['status'] === 'SUCCESS') return 'made'
      if (data['status'] === 'FAILURE') throw new Error(data['fail_reason'])
    }
    throw new Error('the task took too long')
  }

const patienceMs = 11 * 60_000
const stuckOnly = { only: ['task stuck'] }

it.each([
  [
    'Date.now()',
    () => {
      const until = Date.now() + patienceMs
      return () => Date.now() > until
    },
  ],
  [
    'new Date()',
    () => {
      const until = new Date().getTime() + patienceMs
      return () => new Date().getTime() > until
    },
  ],
  [
    'performance.now()',
    () => {
      const since = performance.now()
      return () => performance.now() - since > patienceMs
    },
  ],
])('lets a deadline by %s pass in virtual time', async (_name, startDeadline) => {
  const { cells } = await explore(pollUntil(startDeadline), stuckOnly)
  expect(cells.map(({ state }) => state)).toContain('reported')
})

it('finds a client that polls without a deadline', async () => {
  const error = await explore(
    pollUntil(() => () => false),
    stuckOnly,
  ).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ExploreError)
  expect((error as ExploreError).findings).toMatchObject([{ habit: 'polls-forever' }])
})

it('does not judge an endless task if one signal of all requests may be a deadline in real time', async () => {
  const poll = pollUntil(() => () => false)
  const client = (gateway: ExploredGateway): Promise<string> => {
    const signal = AbortSignal.timeout(10 * 60_000)
    return poll({ ...gateway, fetch: (input, init) => gateway.fetch(input, { ...init, signal }) })
  }
  const { cells } = await explore(client, stuckOnly)
  expect(cells.map(({ state }) => state)).toContain('not judged')
})

it('does not judge an endless task in a page, where dates are those of the host', async () => {
  needs('video.submit')
  const { getBuiltinModule } = process
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
    name === 'node:async_hooks' ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule)
  vi.resetModules()
  onTestFinished(() => void vi.restoreAllMocks())
  const page = await import('../../../src/index.ts')
  const { cells } = await page.explore(
    pollUntil(() => () => false),
    stuckOnly,
  )
  expect(cells.map(({ state }) => state)).toContain('not judged')
})

it("leaves the host's time to all code outside the client", async () => {
  const { Date: hostDate } = globalThis
  const hostNow = performance.now
  const client = async ({ fetch, baseUrl, key }: ExploredGateway): Promise<number> => {
    const response = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    return response.status
  }
  const readOutside = (): Promise<number> => new Promise((resolve) => setTimeout(() => resolve(Date.now())))
  const exploring = explore(client, { only: ['hang'] }).catch(() => {})
  expect(Math.abs((await readOutside()) - hostDate.now())).toBeLessThan(60_000)
  await exploring
  expect(globalThis.Date).toBe(hostDate)
  expect(performance.now).toBe(hostNow)
})

it('makes dates of the run that are dates', async () => {
  const dates: unknown[] = []
  const client = async (): Promise<void> => {
    dates.push(
      new Date() instanceof Date,
      new Date('2030-01-01').toISOString(),
      typeof Date(),
      Date.UTC(2030),
    )
  }
  await explore(client).catch(() => {})
  expect(dates.slice(0, 4)).toEqual([true, '2030-01-01T00:00:00.000Z', 'string', Date.UTC(2030)])
})
