import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type Snapshot } from '../../src/index.ts'
import { openSocket } from '../support/transports.ts'
import { draw, drawn } from '../support/drawing.ts'
import { turns } from '../support/turns.ts'
import { pollVideo, submitVideo } from '../support/video.ts'
import { needs } from '../support/needs.ts'

type Loose = Record<string, any>

const manual = { clock: { mode: 'manual' }, cacheDir: false, seed: 7 } as const

/** The value of a part, to be changed. */
function valueOf(snapshot: Loose, part: string): Loose {
  return (snapshot['state'] as [string, string[], Loose][]).find(([name]) => name === part)![2]
}

it('takes and restores a snapshot over HTTP, of all namespaces or of one', async () => {
  await using transport = await openSocket(manual)
  const control = async (method: string, query = '', body?: unknown): Promise<[number, Loose]> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await transport.call(`/_greenroom/snapshot${query}`, { method, ...sent })
    return [response.status, (await response.json()) as Loose]
  }
  const team = { authorization: 'Bearer sk-sim-team' }
  const [mine, theirs] = [await submitVideo(transport), await submitVideo(transport, {}, team)]
  const [, all] = await control('GET')
  const [, one] = await control('GET', '?namespace=team')
  expect(all['namespace']).toBeUndefined()
  expect(one['namespace']).toBe('team')

  await transport.sim.clock.advance('1h')
  await transport.sim.namespace('team').clock.advance('1h')
  expect(await control('PUT', '?namespace=team', one)).toEqual([200, { namespaces: ['team'], tasks: 1 }])
  expect((await pollVideo(transport, theirs, team)).status).toBe('queued')
  expect((await pollVideo(transport, mine)).status).toBe('SUCCESS')

  const late = await submitVideo(transport, { prompt: 'too late' })
  expect((await control('PUT', '', all))[0]).toBe(200)
  expect((await pollVideo(transport, mine)).status).toBe('queued')
  expect(transport.sim.tasks().map(({ id }) => id)).not.toContain(late)

  expect((await control('PUT', '?namespace=other', one))[1]['error'].message).toContain('of namespace "team"')
})

const broken: readonly (readonly [name: string, change: (snapshot: Loose) => unknown, message: string])[] = [
  ['another document', () => ({ hello: 1 }), 'Unknown field "hello". Known: greenroom,'],
  ['another format', (one) => ({ ...one, version: 99 }), 'has version 99'],
  ['another seed', (one) => ({ ...one, seed: '8' }), 'Start with --seed 8'],
  ['no list', (one) => ({ ...one, state: {} }), '"state" must be a list'],
  [
    'an unknown part',
    (one) => ({ ...one, state: [['moon', ['default'], 1]] }),
    '"moon", which is not a part',
  ],
  [
    'a value without a namespace',
    (one) => ({ ...one, state: [['acceptance', [], 1]] }),
    'state[0][1] has length 0, but it must be 2: namespace, identity',
  ],
  [
    'a value of a namespace that no key selects',
    (one) => ({ ...one, state: [['acceptance', ['../x', 'id'], 1]] }),
    'state[0][1] has "../x", which names no namespace',
  ],
  [
    'a rule of a namespace that no key selects',
    (one) => ({ ...one, state: [['rule', ['late', 'a b'], { layer: 'added', eligible: 0, fired: 0 }]] }),
    'state[0][1] has "a b", which names no namespace',
  ],
  ['a missing value', (one) => ({ ...one, state: [['clock', ['default']]] }), 'state[0] has no value'],
  ['a clock that goes back', (one) => void (valueOf(one, 'clock')['now'] = 5), 'now is before the beginning'],
  [
    'an unknown mode',
    (one) => void (valueOf(one, 'clock')['mode'] = 'warp'),
    'mode is "warp": must be one of real',
  ],
  ['a misspelt mode', (one) => void (valueOf(one, 'clock')['mode'] = 'autto'), 'Did you mean "auto"?'],
  [
    'a task without an identity',
    (one) => void delete valueOf(one, 'task')['record'].identity,
    'record.identity is missing: must be a text',
  ],
  [
    'an unknown state',
    (one) => void (valueOf(one, 'task')['record'].plan.steps[0].state = 'GONE'),
    'plan.steps.0.state is "GONE": the lifecycle has queued, ',
  ],
  [
    'a misspelt state',
    (one) => void (valueOf(one, 'task')['record'].plan.steps[0].state = 'queud'),
    'FAILURE. Did you mean "queued"?',
  ],
  ['another id', (one) => void (valueOf(one, 'task')['record'].id = 'task_x'), 'record.id must be'],
  ['an unknown lifecycle', (one) => void (valueOf(one, 'task')['record'].lifecycle = 'moth'), 'is "moth"'],
  [
    'the amendments of no task',
    (one) => ({ ...one, state: one['state'].filter(([part]: [string]) => part !== 'task') }),
    'which is not listed before it',
  ],
  [
    'a drawing that cannot be rendered',
    (one) => void (valueOf(one, 'task')['record'].request.seconds = { toString: 1 }),
    "can't be polled",
  ],
  [
    'a file of this machine',
    (one) => void (valueOf(one, 'task')['record'].request.made = { file: '/etc/passwd' }),
    'names the file "/etc/passwd"',
  ],
]

it.each(broken)('refuses a snapshot with %s, and changes nothing', async (_, change, message) => {
  await using sim = createSimulator(manual)
  const transport = { call: sim.fetch }
  const id = await submitVideo(transport)
  await pollVideo(transport, id)
  const before = sim.core.control.state.snapshot()
  const copy = JSON.parse(JSON.stringify(before)) as Loose
  await sim.clock.advance('1h')
  const tasks = sim.tasks()

  const response = await sim.fetch('/_greenroom/snapshot', {
    method: 'PUT',
    body: JSON.stringify(change(copy) ?? copy),
  })

  expect(response.status).toBe(400)
  expect(((await response.json()) as Loose)['error'].message).toContain(message)
  expect(sim.tasks()).toEqual(tasks)
})

it('changes nothing if a snapshot fails while it is restored', async () => {
  await using sim = createSimulator(manual)
  const transport = { call: sim.fetch }
  const id = await submitVideo(transport)
  await submitVideo(transport, {}, { authorization: 'Bearer sk-sim-team' })
  await pollVideo(transport, id)
  sim.addRule({ id: 'mine', match: { op: 'video.poll' }, respond: { status: 503 } })
  const state = (): string => JSON.stringify(sim.core.control.state.snapshot()).replaceAll(/"wall":\d+/g, '')
  const before = state()
  const snapshot = JSON.parse(JSON.stringify(sim.core.control.state.snapshot())) as Loose
  const rule = snapshot['state'].find(([part]: [string]) => part === 'rule')
  const rules = Array.from({ length: 1_001 }, (_, n) => ['rule', [`more-${n}`], rule[2]])
  const [status, message] = await put(sim, { ...snapshot, state: [...snapshot['state'], ...rules] })
  expect([status, message]).toEqual([400, expect.stringContaining('there are 1000 already')])
  expect(state()).toBe(before)
})

it('refuses a snapshot with too many namespaces, and changes nothing', async () => {
  await using sim = createSimulator({ ...manual, limits: { namespaces: 3 } })
  const id = await submitVideo({ call: sim.fetch })
  const snapshot = JSON.parse(JSON.stringify(sim.core.control.state.snapshot())) as Loose
  const clock = valueOf(snapshot, 'clock')
  const more = ['one', 'two', 'three'].map((name) => ['clock', [name], clock])
  const [status, message] = await put(sim, { ...snapshot, state: [...more, ...snapshot['state']] })
  expect([status, message]).toEqual([400, expect.stringContaining('has 4 namespaces, while there may be 3')])
  expect(sim.tasks().map((task) => task.id)).toEqual([id])
})

async function put(sim: EmbeddedSimulator, document: object): Promise<[number, string]> {
  const sent = { method: 'PUT', body: JSON.stringify(document) }
  const response = await sim.fetch('/_greenroom/snapshot', sent)
  return [response.status, ((await response.json()) as Loose)['error']?.message]
}

it('refuses a drawing whose notification URL is not allowed', async () => {
  const hook = 'http://127.0.0.1:1/hook'
  await using open = createSimulator({ ...manual, drawing: { notifyHook: true } })
  await draw({ call: open.fetch }, 'submit/imagine', { prompt: 'a fox', notifyHook: hook })
  const snapshot = open.core.control.state.snapshot()
  await using closed = createSimulator(manual)
  const put = { method: 'PUT', body: JSON.stringify(snapshot) }
  expect((await closed.fetch('/_greenroom/snapshot', put)).status).toBe(400)
  expect((await open.fetch('/_greenroom/snapshot', put)).status).toBe(200)
})

it('writes a consistent snapshot in chunks during other requests', async () => {
  await using sim = createSimulator(manual)
  const transport = { call: sim.fetch }
  const { control, tasks } = sim.core
  const ids: string[] = []
  for (let n = 0; n < 1_200; n++) ids.push(await submitVideo(transport, { prompt: `a kite ${n}` }))
  let steps = 0
  /** What clients and tests do, a step a turn. */
  const happen = async (): Promise<void> => {
    const at = steps++
    if (at % 4 === 0) await submitVideo(transport, { prompt: `a boat ${at}` })
    else if (at % 4 === 1) await pollVideo(transport, ids[at]!)
    else if (at % 4 === 2) tasks.remove(tasks.find(ids[at]!)!, 0)
    else control.tasks.transition('default', ids.at(-at)!, { status: 'FAILURE', reason: 'by hand' })
  }
  let isRead = false
  const reading = control.state.snapshotText().then((pieces) => {
    isRead = true
    return { pieces, whole: JSON.stringify(control.state.snapshot()) }
  })
  while (!isRead) {
    await happen()
    await turns(1)
  }
  const { pieces, whole } = await reading
  expect(steps).toBeGreaterThan(2)
  const written: string[] = []
  for (const piece of pieces) {
    written.push(piece)
    await happen()
  }
  expect(written.length).toBeGreaterThan(3)
  // The host's clock may have moved on by a millisecond in between.
  const withoutHostTime = (text: string): string => text.replaceAll(/"wall":\d+/g, '"wall":0')
  expect(withoutHostTime(written.join('')) === withoutHostTime(whole)).toBe(true)
})

it('restarts a snapshot if a namespace is cleared meanwhile', async () => {
  await using sim = createSimulator(manual)
  const transport = { call: sim.fetch }
  const { control } = sim.core
  for (let n = 0; n < 600; n++) await submitVideo(transport, { prompt: `a kite ${n}` })
  const reading = control.state.snapshotText()
  sim.clear()
  const { state } = JSON.parse([...(await reading)].join('')) as Snapshot
  expect(state.filter(([part]) => part === 'task')).toEqual([])
})

it('lists many tasks as of the request, even if they change during the response', async () => {
  await using sim = createSimulator(manual)
  const transport = { call: sim.fetch }
  const ids: string[] = []
  for (let n = 0; n < 500; n++) ids.push(await submitVideo(transport, { prompt: `a kite ${n}` }))
  const { control, tasks } = sim.core
  const whole = control.tasks.list('default')
  const listed: unknown[] = []
  for (const task of control.tasks.each('default')) {
    if (listed.length === 0) {
      await pollVideo(transport, ids[400]!)
      control.tasks.transition('default', ids[401]!, { status: 'FAILURE', reason: 'by hand' })
      tasks.remove(tasks.find(ids[402]!)!, 0)
      await sim.clock.advance('1h')
    }
    listed.push(task)
  }
  expect(listed).toEqual(whole)
  const answered = await (await sim.fetch('/_greenroom/tasks')).json()
  expect(answered).toEqual(sim.tasks())
  expect(answered).toHaveLength(499)
})

it('restores a snapshot that exceeds the size limits of other calls', async () => {
  await using sim = createSimulator(manual)
  const snapshot = sim.core.control.state.snapshot()
  const attempts = Array.from({ length: 40_000 }, (_, n) => ['attempt', ['default', `${n}`], n])
  const put = (document: object): Promise<Response> =>
    sim.fetch('/_greenroom/snapshot', { method: 'PUT', body: JSON.stringify(document) })
  expect((await put({ ...snapshot, state: [...snapshot.state, ...attempts] })).status).toBe(200)
  expect(sim.core.namespaces.get('default').attempts.count('39999')).toBe(39_999)
})

it('continues drawings after a restore, with the same parents, buttons and images', async () => {
  await using sim = createSimulator({ cacheDir: false, seed: 7 })
  const grid = await drawn({ call: sim.fetch }, 'submit/imagine', { prompt: 'a fox in the snow' })
  const before = sim.snapshot()
  const press = { action: 'VARIATION', index: 2, taskId: grid.id }
  const first = await drawn({ call: sim.fetch }, 'submit/change', press)
  sim.restore(before)
  const second = await drawn({ call: sim.fetch }, 'submit/change', press)
  expect(second).toEqual(first)
})

it('restores runtime rules with their counts', async () => {
  await using sim = createSimulator(manual)
  sim.addRule({ id: 'twice', match: { op: 'video.submit' }, times: 2, respond: { status: 500 } })
  const transport = { call: sim.fetch }
  await submitVideo(transport)
  const snapshot: Snapshot = sim.core.control.state.snapshot()
  await using other = createSimulator(manual)
  other.core.control.state.restore(JSON.parse(JSON.stringify(snapshot)))
  expect(other.rules()).toEqual(sim.rules())
  const statuses = []
  for (let times = 0; times < 2; times++) {
    const sent = {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
    }
    const response = await other.fetch('/v1/video/generations', {
      ...sent,
      body: '{"model":"video-1","prompt":"x"}',
    })
    statuses.push(response.status)
  }
  expect(statuses).toEqual([500, 200])
})

it('restores a snapshot that version 0.2.0 made, but for its drawing', async () => {
  needs('video.submit', 'mj.imagine')
  const file = new URL('../../fixtures/snapshots/version-0.2.0.json', import.meta.url)
  await using sim = createSimulator({ keys: ['sk-a'] })
  const document = JSON.parse(readFileSync(file, 'utf8')) as Snapshot
  const put = (state: Snapshot['state']): Promise<Response> => {
    const body = JSON.stringify({ ...document, state })
    return sim.fetch('/_greenroom/snapshot', { method: 'PUT', body })
  }
  expect(await (await put(document.state)).text()).toContain('fields of its request are missing or invalid')
  const restored = await put(document.state.filter(([, names]) => !names.includes('1592131727642322')))
  expect(await restored.json()).toEqual({ namespaces: ['default'], tasks: 2 })
  expect(sim.tasks().map(({ operation, status }) => [operation, status])).toEqual([
    ['video.submit', 'SUCCESS'],
    ['videos.create', 'SUCCESS'],
  ])
  const { id } = sim.tasks()[0]!
  const headers = { authorization: 'Bearer sk-a' }
  const polled = await sim.fetch(`/v1/video/generations/${id}`, { headers })
  expect(await polled.json()).toMatchObject({ data: { task_id: id, status: 'SUCCESS' } })
})
