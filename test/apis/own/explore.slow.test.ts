import { expect, it } from 'vitest'
import { defineApi, poll, submit, z } from '../../../src/apis/own/index.ts'
import {
  explore,
  ExploreError,
  type Exploration,
  type ExploredGateway,
  type ExploreOptions,
} from '../../../src/index.ts'
import { loadShipped } from '../../support/own-apis.ts'

const acme = defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  timing: { queued: '2s', render: '20s' },
  keys: { headers: ['x-acme-key'] },
  error: ({ message }) => ({ oops: message }),
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string() }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
      reply: ({ id }) => ({ id }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status, reason }) => ({ status, reason }) }),
  },
})

type Store = Map<string, string>

/** What the client does wrong. */
interface Bugs {
  readonly submitsAgain?: boolean
  readonly trustsEveryEnd?: boolean
  readonly forgets?: boolean
}

/** Makes a job by the API, with everything that it knows in the store. */
function client({ submitsAgain, trustsEveryEnd, forgets }: Bugs) {
  return async ({ fetch, baseUrl, key, sleep, store }: ExploredGateway<Store>): Promise<string> => {
    const headers = { 'x-acme-key': key, 'content-type': 'application/json' }
    const send = async (path: string, init: RequestInit = {}): Promise<Record<string, string>> => {
      for (let failures = 1; ; failures++) {
        const response = await fetch(baseUrl + path, {
          headers,
          ...init,
          signal: AbortSignal.timeout(30_000),
        }).catch(() => undefined)
        const isJson = response?.headers.get('content-type')?.includes('json')
        const body = isJson ? await response?.json().catch(() => undefined) : undefined
        if (response?.ok && body) return body as Record<string, string>
        const isRefused = response?.status === 429 || (response?.status ?? 0) >= 500
        const mayRepeat =
          isRefused || ((init.method === undefined || submitsAgain) && (!response || response.ok))
        if (failures === 5 || !mayRepeat)
          throw new Error(`${path} got no usable response, status ${response?.status ?? 'none'}`)
        const after = response?.headers.get('retry-after') ?? '0'
        const waitMs = /^\d+$/.test(after) ? Number(after) * 1_000 : 60_000
        await sleep(Math.max(1_000 * 2 ** failures, waitMs))
      }
    }
    if (store.has('submitting') && !store.has('id')) throw new Error('the job may have been submitted')
    let id = store.get('id')
    if (id === undefined) {
      if (!forgets) store.set('submitting', 'yes')
      id = (await send('/acme/jobs', { method: 'POST', body: '{"text":"a kite"}' }))['id']!
      if (!forgets) store.set('id', id)
    }
    for (let polls = 0; polls < 100; polls++) {
      await sleep(5_000)
      const { status = '', reason } = await send(`/acme/jobs/${id}`)
      if (status === 'broken' && !trustsEveryEnd) throw new Error(reason || 'the job is broken')
      if (status === 'ready' || status === 'broken') return 'made'
    }
    throw new Error('the job did not end')
  }
}

const exploreAcme = (bugs: Bugs, options: ExploreOptions<string, Store> = {}): Promise<Exploration> =>
  explore(client(bugs), {
    createStore: () => new Map<string, string>(),
    scenario: { version: 1, config: { apis: [acme] } },
    ...options,
  })

it('finds nothing in a careful client of an API of a user, crashes included', async () => {
  const { score, findings, cells } = await exploreAcme({})
  expect([score, findings]).toEqual([100, []])
  expect(cells.length).toBeGreaterThan(40)
})

it.each<[string, Bugs, string, string]>([
  ['submits again when the answer is lost', { submitsAgain: true }, 'silence', 'submits again'],
  ['takes a failed job for done', { trustsEveryEnd: true }, 'task fails', 'although its task failed'],
  ['forgets its job in a crash', { forgets: true }, 'crash', 'submits again'],
])('finds a client of an API of a user that %s', async (_, bugs, only, words) => {
  const error = await exploreAcme(bugs, { only: [only] }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ExploreError)
  expect((error as ExploreError).findings.map(({ sentence }) => sentence).join()).toContain(words)
})

/** A client of Replicate. @param isDone when it takes its prediction for done. */
const predictWith =
  (isDone: (prediction: Readonly<Record<string, string>>) => boolean) =>
  async ({ fetch, baseUrl, sleep }: ExploredGateway): Promise<string> => {
    const headers = { authorization: 'Bearer r8_secret', 'content-type': 'application/json' }
    const body = JSON.stringify({ version: 'a'.repeat(64), input: { prompt: 'a kite' } })
    const created = await fetch(`${baseUrl}/v1/predictions`, { method: 'POST', headers, body })
    const { id } = (await created.json()) as { id: string }
    for (;;) {
      await sleep(5_000)
      const polled = await fetch(`${baseUrl}/v1/predictions/${id}`, { headers })
      const prediction = (await polled.json()) as Record<string, string>
      if (isDone(prediction)) return 'made'
      if (prediction['status'] === 'failed') throw new Error(prediction['error'])
    }
  }

const only = ['fails at 100%']

it('tries a failure at 100 % at an API of a user, in its own states', async () => {
  const scenario = { version: 1, config: { apis: await loadShipped(['replicate']) } } as const
  const careful = predictWith(({ status }) => status === 'succeeded')
  const { cells, score } = await explore(careful, { scenario, only })
  expect(cells.map(({ schedule }) => schedule.name)).toEqual(['fails at 100% @ replicate.create'])
  expect(score).toBe(100)
})

it('finds a client of an API of a user that takes a job at 100 % for done', async () => {
  const scenario = { version: 1, config: { apis: await loadShipped(['replicate']) } } as const
  const hasty = predictWith(({ logs, status }) => logs === '100%' || status === 'succeeded')
  const error = await explore(hasty, { scenario, only }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ExploreError)
  expect((error as ExploreError).findings.map(({ schedules }) => schedules)).toEqual([
    ['fails at 100% @ replicate.create'],
  ])
})

/** A client of Replicate that downloads. @param polls how often it polls for a link that works. */
const downloadWith =
  (polls: number) =>
  async (gateway: ExploredGateway): Promise<string> => {
    const { fetch, sleep, baseUrl } = gateway
    const headers = { authorization: 'Bearer r8_secret', 'content-type': 'application/json' }
    const body = JSON.stringify({ version: 'a'.repeat(64), input: { prompt: 'a kite' } })
    const created = await fetch(`${baseUrl}/v1/predictions`, { method: 'POST', headers, body })
    const { id } = (await created.json()) as { id: string }
    for (let downloads = 0; ;) {
      await sleep(5_000)
      const polled = await fetch(`${baseUrl}/v1/predictions/${id}`, { headers })
      const { status, output } = (await polled.json()) as Record<string, string>
      if (status !== 'succeeded') continue
      const file = await fetch(output!)
      await file.arrayBuffer()
      if (file.ok) return 'made'
      downloads += 1
      if (downloads === polls) throw new Error(`the download got ${file.status}`)
    }
  }

const exploreDownload = async (
  polls: number,
  resultExpiresAfter?: string,
  only = ['gateway'],
): Promise<Exploration> => {
  const apis = await loadShipped(['replicate'])
  const config = { apis, ...(resultExpiresAfter !== undefined && { resultExpiresAfter }) }
  return explore(downloadWith(polls), { scenario: { version: 1, config }, only })
}

it('tries links that expire at an API of a user if they do in the scenario', async () => {
  const { cells, score } = await exploreDownload(2, '1h')
  expect(cells.map(({ schedule }) => schedule.name)).toEqual(['expired replicate.image'])
  expect(score).toBe(100)
  const selected = await exploreDownload(2, '1h', ['expired replicate.image'])
  expect(selected.cells.map(({ schedule }) => schedule.name)).toEqual(['expired replicate.image'])
  await expect(exploreDownload(1, undefined, ['expired replicate.image'])).rejects.toThrow(
    'only is "expired replicate.image", which selects nothing',
  )
  await expect(exploreDownload(1)).rejects.toThrow('Nothing was tried')
})

it('finds a client of an API of a user that takes an expired link for the end', async () => {
  const error = await exploreDownload(1, '1h').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ExploreError)
  expect((error as ExploreError).findings.map(({ schedules }) => schedules)).toEqual([
    ['expired replicate.image'],
  ])
})
