import { expect, it } from 'vitest'
import type { EmbeddedOptions, EmbeddedSimulator, JournalEntry } from '../../src/index.ts'
import { createSimulator } from '../../src/index.ts'

const open = (options: EmbeddedOptions = {}): EmbeddedSimulator =>
  createSimulator({ cacheDir: false, clock: { mode: 'manual', start: 0 }, ...options })

const models = (sim: EmbeddedSimulator, headers: Record<string, string> = {}): Promise<Response> =>
  sim.fetch('https://gateway.example/v1/models?page=2', {
    headers: { authorization: 'Bearer sk-right', ...headers },
    redirect: 'manual',
  })

const last = (sim: EmbeddedSimulator): JournalEntry => sim.journal().at(-1)!

it('says whether the key of a request was valid', async () => {
  await using sim = open({ keys: ['sk-right'] })
  await models(sim)
  await models(sim, { authorization: 'Bearer sk-wrong' })
  expect(sim.journal().map(({ status, authorized }) => [status, authorized])).toEqual([
    [200, true],
    [401, false],
  ])
})

it.each(['seconds', 'date'] as const)('says when a client may return, in the format %s', async (format) => {
  const respond = { status: 429, retryAfter: '30s', retryAfterFormat: format }
  await using sim = open({ rules: [{ match: { op: 'models.list' }, respond }] })
  await models(sim)
  expect(last(sim).retryAfterMs).toBe(30_000)
})

it.each(['Retry-After', 'retry-after', 'Retry-after'])('reads %s in the headers of a rule', async (name) => {
  await using sim = open({
    rules: [{ match: { op: 'models.list' }, respond: { status: 429, headers: { [name]: '30' } } }],
  })
  await models(sim)
  expect(last(sim).retryAfterMs).toBe(30_000)
})

it('says of a response that counts as broken that its content was altered', async () => {
  const respond = { headers: { 'x-own': 'a' }, broken: true }
  await using sim = open({ rules: [{ match: { op: 'models.list' }, on: 1, respond }] })
  for (let request = 0; request < 2; request++) await (await models(sim)).text()
  expect(sim.journal().map(({ content }) => content)).toEqual(['altered', 'complete'])
})

it('redirects a request to the URL that it came to', async () => {
  await using sim = open({ rules: [{ match: { op: 'models.list' }, fault: 'redirect-loop' }] })
  const response = await models(sim)
  expect(response.status).toBe(307)
  expect(response.headers.get('location')).toMatch(/^https:\/\/gateway\.example\/v1\/models/)
  expect(last(sim).fault).toBe('redirect-loop')
})

it('lists a delayed response with the participant that waits for it', async () => {
  await using sim = open({ rules: [{ match: { op: 'models.list' }, delay: '10s' }] })
  const response = models(sim, { 'x-greenroom-as': 'worker-a' })
  await expect
    .poll(() => sim.clock.status().waiting)
    .toEqual(['a delayed answer (#1) to worker-a until 00:00:10'])
  await sim.clock.advance('10s')
  expect((await response).status).toBe(200)
})
