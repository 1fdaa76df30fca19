import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { operations } from '../../src/apis/index.ts'
import { createSimulator } from '../../src/index.ts'
import { createSimulator as createInPage } from '../../src/browser.ts'
import { faultTypes } from '../../src/scenario/faults/index.ts'
import { describeTransports, type OpenTransport } from '../support/transports.ts'
import { authorization, pollVideo, submitVideo } from '../support/video.ts'

type Family = {
  readonly name: string
  readonly metrics: readonly { readonly labels?: Sample['labels']; readonly value: string }[]
}

/** It has no types of its own. */
const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (text: string) => Family[]

type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number }

/** Reads the metrics as Prometheus does: samples by the name of their metric. */
async function scrape(transport: Pick<OpenTransport, 'call'>): Promise<(name: string) => Sample[]> {
  const response = await transport.call('/_greenroom/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const families = parse(await response.text())
  return (name) =>
    (families.find((family) => family.name === name)?.metrics ?? []).map(({ labels = {}, value }) => ({
      labels,
      value: Number(value),
    }))
}

describeTransports((open) => {
  it('counts requests by operation, status and outcome, also those before the first scrape', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
      rules: [{ match: { op: 'video.poll' }, on: 2, respond: { status: 503 } }],
    })
    const id = await submitVideo(transport)
    await pollVideo(transport, id)
    await transport.call(`/v1/video/generations/${id}`, { headers: { authorization } })
    await transport.call('/v1/no-such-path')
    const before = (await scrape(transport))('greenroom_requests_total')
    expect(before).toEqual([
      { labels: { operation: 'video.submit', status: '200', outcome: 'completed' }, value: 1 },
      { labels: { operation: 'video.poll', status: '200', outcome: 'completed' }, value: 1 },
      { labels: { operation: 'video.poll', status: '503', outcome: 'completed' }, value: 1 },
      { labels: { operation: 'none', status: '404', outcome: 'completed' }, value: 1 },
    ])
    await pollVideo(transport, id)
    const after = (await scrape(transport))('greenroom_requests_total')
    expect(after[1]).toEqual({ ...before[1], value: 2 })
  })

  it('counts the tasks of all namespaces by their present state', async () => {
    await using transport = await open({ clock: { mode: 'manual' } })
    const id = await submitVideo(transport, { prompt: 'a kite [[fail: no]]' })
    await submitVideo(transport)
    await transport.sim.namespace('alice').clock.advance('1h')
    await transport.sim.clock.advanceUntil(id, 'FAILURE')
    const counts = (await scrape(transport))('greenroom_tasks')
    const count = (state: string): number =>
      counts.find(({ labels }) => labels['kind'] === 'video' && labels['state'] === state)!.value
    expect(count('FAILURE')).toBe(1)
    expect(['queued', 'IN_PROGRESS', 'SUCCESS'].map(count).reduce((sum, each) => sum + each)).toBe(1)
  })

  it('refuses the metrics without the control token', async () => {
    await using transport = await open({ controlToken: 'a-token-of-sixteen-signs' })
    expect((await transport.call('/_greenroom/metrics', { headers: {} })).status).toBe(401)
  })
})

it('counts faults by their kind, and lost requests with the status none', async () => {
  await using sim = createSimulator()
  const scraped = { call: (path: string) => sim.fetch(`http://gateway.example${path}`) }
  const headers = { authorization }
  for (const fault of ['reset', 'truncate'] as const) {
    sim.next('models.list', { fault })
    const reply = sim.fetch('http://gateway.example/v1/models', { headers })
    await expect(reply.then((response) => response.arrayBuffer())).rejects.toThrow()
  }
  const read = await scrape(scraped)
  const faults = read('greenroom_faults_total')
  expect(faults.map(({ value }) => value)).toEqual([1, 1])
  for (const { labels } of faults) expect(faultTypes).toContain(labels['fault'])
  const requests = read('greenroom_requests_total')
  expect(requests.map(({ labels, value }) => [labels['status'], value])).toEqual([
    ['none', 1],
    ['200', 1],
  ])
})

it('counts renders, but nothing that comes from a cache', async () => {
  await using sim = createSimulator({ clock: { mode: 'manual' }, cacheDir: false })
  const call = (path: string, init?: RequestInit): Promise<Response> =>
    sim.fetch(`http://gateway.example${path}`, { headers: { authorization: 'Bearer sk-a' }, ...init })
  const id = await submitVideo({ call }, { size: '128x96', duration: 1 })
  await sim.clock.advanceUntil(id, 'SUCCESS')
  for (const path of [1, 2].map(() => `/v1/videos/${id}/content`)) await (await call(path)).arrayBuffer()
  const renders = (await scrape({ call }))('greenroom_renders_total')
  const done = (media: string): number =>
    renders.find(({ labels }) => labels['media'] === media && labels['result'] === 'done')!.value
  expect([done('fast-clip'), done('full-clip')]).toEqual([1, 0])
})

it('has the clock of each namespace, the lag of the event loop, memory and the version', async () => {
  await using sim = createSimulator({ clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' } })
  await sim.namespace('alice').clock.advance('90s')
  const read = await scrape({ call: (path: string) => sim.fetch(`http://gateway.example${path}`) })
  expect(read('greenroom_clock_time_seconds')).toEqual([
    { labels: { namespace: 'default', mode: 'manual' }, value: Date.UTC(2030, 0, 1) / 1000 },
    { labels: { namespace: 'alice', mode: 'manual' }, value: Date.UTC(2030, 0, 1) / 1000 + 90 },
  ])
  expect(read('greenroom_namespaces')[0]!.value).toBe(2)
  expect(read('greenroom_info')[0]!.labels['version']).toMatch(/^\d+\.\d+\.\d+/)
  expect(read('nodejs_eventloop_lag_seconds')).toHaveLength(1)
  expect(read('process_resident_memory_bytes')[0]!.value).toBeGreaterThan(1_000_000)
})

it('has a bounded number of time series, whatever clients send', async () => {
  await using sim = createSimulator({ clock: { mode: 'manual' } })
  for (let at = 0; at < 150; at++)
    await sim.fetch(`http://gateway.example/path-${at}?q=${at}`, {
      headers: { authorization: `Bearer sk-${at}`, 'x-greenroom-namespace': `n${at}` },
    })
  const read = await scrape({ call: (path: string) => sim.fetch(`http://gateway.example${path}`) })
  expect(read('greenroom_requests_total')).toHaveLength(1)
  expect(read('greenroom_clock_time_seconds')).toHaveLength(100)
  expect(read('greenroom_namespaces')[0]!.value).toBe(151)
  expect(operations).not.toContain(read('greenroom_requests_total')[0]!.labels['operation'])
})

it('keeps the figures of two simulators apart', async () => {
  await using one = createSimulator()
  await using other = createSimulator()
  await one.fetch('http://gateway.example/v1/models')
  const countOf = async (sim: typeof one): Promise<number> => {
    const read = await scrape({ call: (path: string) => sim.fetch(`http://gateway.example${path}`) })
    expect(read('process_resident_memory_bytes')).toHaveLength(1)
    return read('greenroom_requests_total').length
  }
  expect([await countOf(one), await countOf(other)]).toEqual([1, 0])
})

it('says in a page that metrics are for Node', async () => {
  await using sim = createInPage()
  const response = await sim.fetch('http://gateway.example/_greenroom/metrics')
  expect(response.status).toBe(501)
  expect(await response.json()).toEqual({ error: { message: expect.stringContaining('on Node only') } })
})

it('loads the library of metrics with the first scrape, and never in a page', () => {
  const dist = (name: string): string => readFileSync(new URL(`../../dist/${name}`, import.meta.url), 'utf8')
  for (const name of ['index.js', 'browser/index.js'])
    expect(dist(name)).not.toContain('collectDefaultMetrics')
})
