import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createSimulator } from '../../../src/index.ts'
import { OpenTasks } from '../../../src/engine/tasks/open-tasks.ts'
import { Hooks, reportCaps } from '../../../src/apis/drawing/hooks.ts'
import { mayReport } from '../../../src/apis/drawing/settings.ts'
import { draw, press, drawn, pressed, fetchDrawing, type DrawingRecord } from '../../support/drawing.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A client's own server that takes reports. */
async function receiver(
  status = 200,
): Promise<{ url: string; reports: DrawingRecord[]; types: Set<unknown> }> {
  const reports: DrawingRecord[] = []
  const types = new Set<unknown>()
  const server = createServer((request, response) => {
    types.add(`${request.method} ${request.headers['content-type']}`)
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      reports.push(JSON.parse(body) as DrawingRecord)
      response.writeHead(status).end()
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, reports, types }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!condition() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(condition()).toBe(true)
}

const on = { drawing: { notifyHook: true }, cacheDir: false } as const

it('reports each change once, in order, to the URL in the request', async () => {
  const { url, reports, types } = await receiver()
  await using sim = createSimulator(on)
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const { result } = await draw(transport, 'submit/imagine', {
    prompt: 'a fox',
    notifyHook: url,
    state: 'order 7',
  })
  await until(() => reports.at(-1)?.status === 'SUCCESS')
  expect(reports.map(({ status, progress }) => `${status} ${progress}`)).toEqual([
    'NOT_START 0%',
    'SUBMITTED 0%',
    ...[0, 15, 31, 46, 62, 78, 93].map((rung) => `IN_PROGRESS ${rung}%`),
    'SUCCESS 100%',
  ])
  expect(new Set(reports.map(({ id, state }) => `${id} ${state}`))).toEqual(new Set([`${result} order 7`]))
  expect([...types]).toEqual(['POST application/json'])
  expect(reports.at(-1)).toEqual(await fetchDrawing(transport, result))
})

it('reports a dialog that was answered, and a task that was moved by hand', async () => {
  const { url, reports } = await receiver()
  await using sim = createSimulator(on)
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const single = await pressed(transport, await drawn(transport, 'submit/imagine', { prompt: 'a fox' }), 'U1')
  sim.clock.set('manual')
  const { result } = await press(transport, single, 'Vary (Region)', { notifyHook: url })
  await until(() => reports.length === 1)
  expect(reports[0]).toMatchObject({ status: 'MODAL' })
  await draw(transport, 'submit/modal', { taskId: result, prompt: 'a hat' })
  await until(() => reports.length === 2)
  expect(reports[1]).toMatchObject({ status: 'SUBMITTED', prompt: 'a hat' })
  sim.transition(result, { status: 'FAILURE', reason: 'by hand' })
  await until(() => reports.length === 3)
  expect(reports[2]).toMatchObject({ status: 'FAILURE', failReason: 'by hand' })
})

it('is off unless it is switched on', async () => {
  const { url, reports } = await receiver()
  await using sim = createSimulator({ cacheDir: false })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  await drawn(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: url })
  expect(reports).toEqual([])
})

it('records reports that failed, and continues without waiting for them', async () => {
  const { url, reports } = await receiver(500)
  await using sim = createSimulator(on)
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const { result } = await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: url })
  await until(() => sim.journal({ operation: 'mj.notify' }).length === 10)
  expect(reports).toHaveLength(10)
  const notes = sim.journal({ operation: 'mj.notify' })
  expect(
    notes.every(({ status, outcome, task }) => status === 500 && outcome === 'failed' && task === result),
  ).toBe(true)
  expect(notes.map(({ reportedStatus }) => reportedStatus).at(-1)).toBe('SUCCESS')

  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: 'http://127.0.0.1:1/unknown' })
  await until(() => sim.journal({ operation: 'mj.notify', status: 0 }).length === 10)
})

it('reports every change at any speed of time', async () => {
  const { url, reports } = await receiver()
  await using sim = createSimulator({ ...on, clock: { mode: 'scaled', rate: 10_000 } })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: url })
  await until(() => reports.at(-1)?.status === 'SUCCESS')
  expect(reports).toHaveLength(10)
})

it('leaves a client the time to answer a dialog', async () => {
  const { url, reports } = await receiver()
  await using sim = createSimulator(on)
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const single = await pressed(transport, await drawn(transport, 'submit/imagine', { prompt: 'a fox' }), 'U1')
  const { result } = await press(transport, single, 'Vary (Region)', { notifyHook: url })
  await until(() => reports.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(await draw(transport, 'submit/modal', { taskId: result, prompt: 'a hat' })).toMatchObject({
    code: 1,
  })
  await until(() => reports.at(-1)?.status === 'SUCCESS')
})

it('sends nothing more of removed tasks, nor after the end', async () => {
  const { url, reports } = await receiver()
  const sim = createSimulator({ ...on, clock: { mode: 'manual' } })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: url })
  await sim.clock.advance('5m')
  sim.clear()
  const sent = reports.length
  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: url })
  await sim.close()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(reports.length).toBeLessThanOrEqual(sent + 1)
  expect(sim.journal({ operation: 'mj.notify' })).toEqual([])
})

it('refuses to report to other machines unless they are allowed', async () => {
  await using sim = createSimulator(on)
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  const answer = await draw(transport, 'submit/imagine', {
    prompt: 'a fox',
    notifyHook: 'http://10.0.0.7/hook',
  })
  expect(answer).toMatchObject({ code: 4, description: '参数错误' })
  expect(sim.tasks()).toEqual([])
})

it.each([
  ['http://localhost:3000/x', true],
  ['http://127.8.0.1/x', true],
  ['http://[::1]:9/x', true],
  ['https://hooks.internal/x', true],
  ['http://hooks.internal.evil.example/x', false],
  ['http://127.0.0.1.evil.example/', false],
  ['http://user@localhost/', false],
  ['file:///etc/passwd', false],
  ['http://169.254.169.254/', false],
  ['localhost:3000', false],
  ['http://HOOKS.internal/x', true],
])('takes %s for a target: %s', (address, allowed) => {
  expect(mayReport(address, { allow: ['Hooks.Internal'] })).toBe(allowed)
})

// Each task has ten reports.
it.each([
  { caps: { atOnce: 10, pending: 100 }, submitted: 12, sent: 100, dropped: 20 },
  { caps: undefined, submitted: 105, sent: 1_050, dropped: 0 },
])('bounds the reports in progress and in the queue by $caps, and records those it drops', async (bounds) => {
  await using sim = createSimulator({ ...on, clock: { mode: 'manual' } })
  const { tasks, events, draws, namespaces } = sim.core
  const { result } = await draw({ call: sim.fetch }, 'submit/imagine', { prompt: 'a fox' })
  const { record } = tasks.find(result)!
  let atOnce = 0
  let most = 0
  let sent = 0
  let letGo = (): void => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const post = async (): Promise<Response> => {
    sent++
    most = Math.max(most, ++atOnce)
    await held
    atOnce--
    return new Response()
  }
  const core = { namespaces, tasks, open: new OpenTasks(tasks, events), draws, events }
  const hooks = new Hooks(core, { post, ...(bounds.caps && { caps: bounds.caps }) })
  const hook = 'http://127.0.0.1:1/hook'
  for (let n = 0; n < bounds.submitted; n++) {
    tasks.submit({ ...record, id: `${n}`, row: n, request: { ...record.request, hook } })
  }
  await sim.clock.advance('10m')
  const { atOnce: cap } = bounds.caps ?? reportCaps
  expect([most, atOnce, sent]).toEqual([cap, cap, cap])
  letGo()
  await until(() => sent === bounds.sent)
  expect(most).toBe(cap)
  const dropped = sim.journal({ operation: 'mj.notify' }).filter(({ bytes }) => bytes === 0)
  expect(dropped).toHaveLength(bounds.dropped)
  hooks.close()
})

it('judges the webhooks that were sent', async () => {
  const { url, reports } = await receiver(204)
  await using sim = createSimulator(on)
  const expected = sim.watch({
    webhooks: [
      { state: 'SUCCESS', status: '2xx', count: 1 },
      { taskNth: 1, state: 'IN_PROGRESS', count: 7 },
      { count: { min: 20 } },
      { state: 'FAILURE' },
      { status: 500 },
      { taskNth: 2 },
    ],
  })
  const transport = { call: (path: string, init?: RequestInit) => sim.fetch(path, init) }
  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: url })
  await until(() => reports.at(-1)?.status === 'SUCCESS')
  await until(() => sim.journal({ operation: 'mj.notify' }).length === 10)
  const { results } = await expected.verdict()
  const webhooks = results.filter(({ path }) => path.startsWith('webhooks'))
  expect(webhooks.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'fail', 'fail', 'fail', 'fail'])
  expect(webhooks[4]).toMatchObject({
    expected: 'at least 1 × webhook answered with 500',
    actual: 'never; the last of 10 was for SUCCESS, answered with 204',
  })
  expect(webhooks[5]).toMatchObject({ actual: 'never; none was sent' })
})
