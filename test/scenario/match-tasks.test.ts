import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator, type Rule } from '../../src/index.ts'

const origin = 'http://gateway.example'

class Caller {
  readonly sim: EmbeddedSimulator

  constructor(options: EmbeddedOptions) {
    this.sim = createSimulator({ seed: 5, cacheDir: false, ...options })
  }

  async call(path: string, body?: unknown): Promise<Response> {
    return this.sim.fetch(`${origin}${path}`, {
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
  }

  async video(fields: Record<string, unknown> = {}): Promise<string> {
    const body = { model: 'video-1', prompt: 'a kite', size: '128x96', ...fields }
    return ((await (await this.call('/v1/video/generations', body)).json()) as { task_id: string }).task_id
  }

  async imagine(prompt: string): Promise<string> {
    return ((await (await this.call('/mj/submit/imagine', { prompt })).json()) as { result: string }).result
  }

  async poll(id: string): Promise<number> {
    return (await this.call(`/v1/video/generations/${id}`)).status
  }

  async fetched(id: string): Promise<number> {
    return (await this.call(`/mj/task/${id}/fetch`)).status
  }
}

const refusing = (
  match: Omit<Rule['match'], 'op'>,
  op: Rule['match']['op'] = ['video.poll', 'mj.fetch'],
): Rule => ({
  match: { op, ...match },
  respond: { status: 503 },
})

it.each<[string, Omit<Rule['match'], 'op'>]>([
  ['its model', { model: 'video-hd-*' }],
  ['its prompt', { prompt: '*boat*' }],
  ['a field of the body that made it', { body: { size: '320x240' } }],
  ['the model of its task', { task: { model: 'video-hd-*' } }],
  ['the prompt of its task', { task: { prompt: '*boat*' } }],
  ['the place of its task', { task: { nth: 2 } }],
  ['one of several places', { task: { nth: [2, 7] } }],
])('matches a poll on %s', async (_what, match) => {
  const caller = new Caller({ rules: [refusing(match)] })
  const first = await caller.video()
  await caller.imagine('a kite')
  const second = await caller.video({ model: 'video-hd-1', prompt: 'a boat', size: '320x240' })
  expect([await caller.poll(first), await caller.poll(second), await caller.poll(second)]).toEqual([
    200, 503, 503,
  ])
  await caller.sim[Symbol.asyncDispose]()
})

it('matches polls of the other API and downloads by the submission of the task', async () => {
  const caller = new Caller({ rules: [refusing({ prompt: '*boat*' }, ['videos.retrieve', 'video.content'])] })
  const boat = await caller.video({ prompt: 'a boat' })
  const kite = await caller.video()
  const statuses = async (path: string): Promise<number[]> =>
    Promise.all([boat, kite].map(async (id) => (await caller.call(`/v1/videos/${id}${path}`)).status))
  expect(await statuses('')).toEqual([503, 200])
  expect((await statuses('/content'))[0]).toBe(503)
  await caller.sim[Symbol.asyncDispose]()
})

it('counts videos and drawings separately, and ignores refused submissions', async () => {
  const once: Rule = { match: { op: 'video.submit' }, on: 1, respond: { status: 503 } }
  const caller = new Caller({ rules: [once, refusing({ task: { nth: 1 } })] })
  await caller.video()
  const [boat, first, second] = [await caller.imagine('a boat'), await caller.video(), await caller.video()]
  expect([await caller.fetched(boat), await caller.poll(first), await caller.poll(second)]).toEqual([
    503, 503, 200,
  ])
  await caller.sim[Symbol.asyncDispose]()
})

it('relates a submission to the task that it creates', async () => {
  const caller = new Caller({ rules: [refusing({ task: { nth: 2 } }, 'video.submit')] })
  expect(await caller.video()).toMatch(/^task_/)
  expect(await caller.video()).toBeUndefined()
  expect(await caller.video()).toBeUndefined()
  await caller.sim[Symbol.asyncDispose]()
})

it('matches match.task only for requests about a task', async () => {
  const caller = new Caller({ rules: [refusing({ task: { prompt: '*' } }, '*')] })
  expect((await caller.call('/v1/models')).status).toBe(200)
  expect((await caller.call('/v1/models')).status).toBe(200)
  await caller.sim[Symbol.asyncDispose]()
})

it('keeps the number of a task when earlier tasks are removed', async () => {
  const caller = new Caller({ rules: [refusing({ task: { nth: 3 } })], retention: { tasks: 2 } })
  const ids = [await caller.video(), await caller.video(), await caller.video(), await caller.video()]
  expect([await caller.poll(ids[2]!), await caller.poll(ids[3]!)]).toEqual([503, 200])
  await caller.sim[Symbol.asyncDispose]()
})

it('restores matched bodies and task numbers from a snapshot, and forgets them on clear', async () => {
  const rules = [refusing({ task: { nth: 3 } }), refusing({ body: { size: '320x240' } })]
  const before = new Caller({ rules })
  const [large] = [await before.video({ size: '320x240' }), await before.video()]
  const after = new Caller({ rules })
  after.sim.restore(before.sim.snapshot())
  expect(await after.poll(large)).toBe(503)
  expect(await after.poll(await after.video())).toBe(503)
  after.sim.clear()
  expect(await after.poll(await after.video())).toBe(200)
  await before.sim[Symbol.asyncDispose]()
  await after.sim[Symbol.asyncDispose]()
})

it('assigns tasks to workers by the body of their submission', async () => {
  const caller = new Caller({
    throttles: [{ match: { op: 'video.submit', body: { size: '320x240' } }, workers: 1 }],
    rules: [{ match: { op: 'video.submit' }, task: { queued: 0, render: '10s' } }],
  })
  const ids = [await caller.video(), await caller.video(), await caller.video({ size: '320x240' })]
  ids.push(await caller.video({ size: '320x240' }))
  await caller.sim.clock.advance('5s')
  expect(ids.map((id) => caller.sim.task(id).status)).toEqual([
    'IN_PROGRESS',
    'IN_PROGRESS',
    'IN_PROGRESS',
    'queued',
  ])
  await caller.sim[Symbol.asyncDispose]()
})

it('refuses the polls of a model in an outage, as in the cookbook', async () => {
  const caller = new Caller({
    throttles: [{ id: 'outage', match: { op: 'video.*', model: 'video-hd-*' }, outage: '30s..90s' }],
    clock: { mode: 'manual' },
  })
  const [plain, large] = [await caller.video(), await caller.video({ model: 'video-hd-1' })]
  expect(await caller.poll(large)).toBe(200)
  await caller.sim.clock.advance('40s')
  expect([await caller.poll(plain), await caller.poll(large)]).toEqual([200, 503])
  await caller.sim[Symbol.asyncDispose]()
})

it('expects requests about tasks of a model', async () => {
  const caller = new Caller({})
  const run = caller.sim.watch({
    requests: [
      { op: 'video.poll', model: 'video-hd-*', count: 1 },
      { op: 'video.poll', model: 'video-1', count: 2 },
    ],
  })
  const [plain, large] = [await caller.video(), await caller.video({ model: 'video-hd-1' })]
  for (const id of [plain, large, plain]) await caller.poll(id)
  expect((await run.verdict()).passed).toBe(true)
  await caller.sim[Symbol.asyncDispose]()
})

it.each([
  [{}, 'names no task'],
  [{ nht: 2 }, 'match.task.nht is not known. Did you mean "nth"?'],
  [{ nth: 0 }, 'match.task.nth is 0: must be more than 0'],
])('refuses match.task: %j', (task, message) => {
  expect(() => createSimulator({ rules: [refusing({ task } as never)] })).toThrow(message)
})
