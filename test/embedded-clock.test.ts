import { setupServer } from 'msw/node'
import { afterEach, expect, it, vi } from 'vitest'
import { createSimulator } from '../src/index.ts'
import { startServer } from '../src/server/index.ts'
import { run } from './cli/run-in-folder.ts'
import { turns } from './support/turns.ts'

afterEach(() => vi.useRealTimers())

it('gives each participant a sleep of its own, and waits until it leaves', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const woken: string[] = []
  const works = ['a', 'b'].map(async (name, index) => {
    using worker = sim.clock.join(name)
    for (let round = 0; round < 2; round++) {
      await worker.sleep((index + 2) * 1_000)
      await turns(9)
      woken.push(`${name} ${sim.clock.now() % 60_000}`)
    }
    worker.leave()
  })
  await Promise.all(works)
  expect(woken).toEqual(['a 2000', 'b 3000', 'a 4000', 'b 6000'])
  expect(sim.clock.status().participants.expected).toBe(0)
})

it('warns of a response that waits on a manual clock, and tells how to advance it', async () => {
  const warnings: string[] = []
  await using sim = createSimulator({
    cacheDir: false,
    clock: { mode: 'manual' },
    rules: [{ match: { op: '*' }, delay: '5s' }],
    onWarning: (message) => warnings.push(message),
  })
  const response = sim.fetch('/v1/models', { headers: { authorization: 'Bearer sk-test' } })
  await expect.poll(() => warnings, { timeout: 10_000 }).toHaveLength(1)
  expect(warnings[0]).toContain(
    '1 response waits: a delayed answer (#1) until 00:00:05. Advance the clock by',
  )
  expect(sim.clock.status().why).toContain('1 response waits')
  await sim.clock.advance('5s')
  expect((await response).status).toBe(200)
})

it('holds time for as long as a block lasts', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const before = sim.clock.now()
  let sleeping: Promise<void>
  {
    using hold = sim.clock.hold('debugger', { for: '1s' })
    hold.renew('1m')
    sleeping = sim.clock.sleep('5s')
    await turns()
    expect(sim.clock.now()).toBe(before)
    expect(sim.clock.status().holds).toMatchObject([{ id: hold.id, name: 'debugger' }])
  }
  await sleeping
  expect(sim.clock.now()).toBe(before + 5_000)
})

it('shares fake timers with a client that sleeps by setTimeout, through MSW', async () => {
  const sim = createSimulator({
    cacheDir: false,
    clock: { mode: 'host' },
    rules: [
      { match: { op: 'video.submit' }, task: { queued: '10s', render: '170s' } },
      { match: { op: 'video.poll' }, on: 1, delay: '2s' },
    ],
  })
  const server = setupServer(...sim.handlers({ baseUrl: 'https://gateway.example' }))
  server.listen()
  vi.useFakeTimers()
  vi.setTimerTickMode('nextTimerAsync')
  const began = Date.now()
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  const base = 'https://gateway.example/v1/video/generations'
  const submitted = await fetch(base, {
    method: 'POST',
    headers,
    body: '{"model":"video-1","prompt":"a kite"}',
  })
  const { task_id: id } = (await submitted.json()) as { task_id: string }
  let polls = 0
  for (let status = ''; status !== 'SUCCESS'; polls++) {
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    const { data } = (await (await fetch(`${base}/${id}`, { headers })).json()) as {
      data: { status: string }
    }
    status = data.status
  }
  // The first poll was answered two seconds late, so one fewer fitted in.
  expect([polls, Date.now() - began]).toEqual([36, 182_000])
  vi.useRealTimers()
  server.close()
  await sim.close()
})

it('has no mode host on a server, which lives in another process than its clients', async () => {
  await expect(startServer({ port: 0, clock: { mode: 'host' } })).rejects.toThrow(
    'clock mode host follows the Date of one process',
  )
  const flagged = await run(['serve', '--clock', 'host'])
  expect(flagged.code).toBe(2)
  const filed = await run(['serve'], { 'greenroom.config.yaml': 'clock: { mode: host }' })
  expect([filed.code, filed.warned]).toEqual([
    22,
    expect.stringContaining('host works only in the process of the clients'),
  ])
})

it('takes a signal in the place of options, since many clients call sleep(ms, signal)', async () => {
  const sim = createSimulator()
  const cancel = new AbortController()
  using worker = sim.clock.join('worker-a')
  const sleeps = [sim.clock.sleep('5s', cancel.signal), worker.sleep('5s', cancel.signal)]
  cancel.abort(new Error('cancelled'))
  for (const sleep of sleeps) await expect(sleep).rejects.toThrow('cancelled')
})
