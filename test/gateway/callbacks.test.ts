import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type SimulatorOptions } from '../../src/index.ts'
import { callbackCaps } from '../../src/gateway/callbacks/callbacks.ts'
import { isAllowedTarget } from '../../src/gateway/callbacks/plan.ts'
import { draw, press, drawn, pressed, fetchDrawing, type DrawingRecord } from '../support/drawing.ts'

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
  await until(() => sim.journal({ operation: 'mj.notify', outcome: 'failed' }).length === 10)
  expect(reports).toHaveLength(10)
  const notes = sim.journal({ operation: 'mj.notify' })
  expect(
    notes.every(({ status, outcome, task }) => status === 500 && outcome === 'failed' && task === result),
  ).toBe(true)
  expect(notes.map(({ reportedStatus }) => reportedStatus).at(-1)).toBe('SUCCESS')

  await draw(transport, 'submit/imagine', { prompt: 'a fox', notifyHook: 'http://127.0.0.1:1/unknown' })
  await until(() => sim.journal({ operation: 'mj.notify', status: 0, outcome: 'failed' }).length === 10)
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
  expect(isAllowedTarget(address, ['Hooks.Internal'])).toBe(allowed)
})

it('bounds the callbacks that are sent at the same time', async () => {
  let atOnce = 0
  let most = 0
  let letGo = (): void => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const deliver = async (): Promise<Response> => {
    most = Math.max(most, ++atOnce)
    await held
    atOnce--
    return new Response()
  }
  await using sim = createSimulator({ ...on, deliver, clock: { mode: 'manual' } })
  const { tasks } = sim.core
  const { result } = await draw({ call: sim.fetch }, 'submit/imagine', { prompt: 'a fox' })
  const { record } = tasks.find(result)!
  const request = { ...record.request, hook: 'http://127.0.0.1:1/hook' }
  for (let n = 0; n < 105; n++) tasks.submit({ ...record, id: `${n}`, row: n, request })
  await sim.clock.advance('10m')
  await until(() => most === callbackCaps.atOnce)
  letGo()
  // Each task has ten callbacks, and the journal has 1,000 entries.
  await until(() => sim.journal({ operation: 'mj.notify', status: 200 }).length === 1_000)
  expect(most).toBe(callbackCaps.atOnce)
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
  await until(() => sim.journal({ operation: 'mj.notify', outcome: 'completed' }).length === 10)
  const { results } = await expected.verdict()
  const webhooks = results.filter(({ path }) => path.startsWith('webhooks'))
  expect(webhooks.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'fail', 'fail', 'fail', 'fail'])
  expect(webhooks[4]).toMatchObject({
    expected: 'at least 1 × webhook answered with 500',
    actual: 'never; the last of 10 was for SUCCESS, answered with 204',
  })
  expect(webhooks[5]).toMatchObject({ actual: 'never; none was sent' })
})

/** Draws a fox, and collects what its receiver gets without a socket. */
async function deliveries(
  rules: SimulatorOptions['rules'],
): Promise<{ got: string[]; sim: EmbeddedSimulator }> {
  const got: string[] = []
  const deliver = async (request: Request): Promise<Response> => {
    const { status, progress } = (await request.json()) as DrawingRecord
    got.push(`${status} ${progress}`)
    return new Response()
  }
  const sim = createSimulator({ ...on, deliver, rules: rules ?? [] })
  onTestFinished(() => sim.close())
  const prompt = 'a fox'
  await draw({ call: sim.fetch }, 'submit/imagine', { prompt, notifyHook: 'http://localhost/hook' })
  await until(
    () =>
      sim.journal({ operation: 'mj.notify', outcome: 'open' }).length === 0 && got.includes('SUCCESS 100%'),
  )
  return { got, sim }
}

const atStart = { op: 'mj.notify', state: 'SUBMITTED' } as const

it('delivers to a function without a socket, and lets rules match each callback', async () => {
  const { got, sim } = await deliveries([{ match: atStart, respond: { omit: ['prompt'] } }])
  expect(got.slice(0, 2)).toEqual(['NOT_START 0%', 'SUBMITTED 0%'])
  expect(sim.journal({ operation: 'mj.notify' })[1]).toMatchObject({
    role: 'report',
    transport: 'callback',
    rules: ['rule-1'],
    status: 200,
    outcome: 'completed',
  })
})

it('loses a callback', async () => {
  const { got, sim } = await deliveries([{ match: atStart, fault: 'lost' }])
  expect(got.slice(0, 2)).toEqual(['NOT_START 0%', 'IN_PROGRESS 0%'])
  expect(sim.journal({ operation: 'mj.notify' })[1]).toMatchObject({
    fault: 'lost',
    status: 0,
    outcome: 'failed',
  })
})

it('delivers a callback twice', async () => {
  const { got } = await deliveries([{ match: atStart, fault: 'twice' }])
  expect(got.slice(0, 4)).toEqual(['NOT_START 0%', 'SUBMITTED 0%', 'SUBMITTED 0%', 'IN_PROGRESS 0%'])
})

it('delivers a callback after the next one', async () => {
  const { got } = await deliveries([{ match: atStart, fault: 'late' }])
  expect(got.slice(0, 3)).toEqual(['NOT_START 0%', 'IN_PROGRESS 0%', 'SUBMITTED 0%'])
})

it('delivers the last callback of a task a minute late', async () => {
  const { sim } = await deliveries([{ match: { op: 'mj.notify', state: 'SUCCESS' }, fault: 'late' }])
  const { at, settledAt } = sim.journal({ operation: 'mj.notify' }).at(-1)!
  expect(settledAt! - at).toBe(60_000)
})

it('delays a callback, and meanwhile sends later ones', async () => {
  const { got } = await deliveries([{ match: atStart, delay: '1500ms' }])
  expect(got.indexOf('SUBMITTED 0%')).toBeGreaterThan(1)
})

it('repeats the first callback after a later one', async () => {
  const { got } = await deliveries([{ match: atStart, fault: 'stale' }])
  expect(got.slice(0, 3)).toEqual(['NOT_START 0%', 'SUBMITTED 0%', 'NOT_START 0%'])
})
