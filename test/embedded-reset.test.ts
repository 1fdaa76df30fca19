import { expect, it } from 'vitest'
import { createSimulator, defineScenario } from '../src/index.ts'
import { VideoClient } from './support/video-client.ts'
import { turns } from './support/turns.ts'

const clientOf = (sim: { fetch: typeof fetch; key: string }): VideoClient =>
  new VideoClient({ fetch: sim.fetch, key: sim.key })

/** All that a test can see of a simulator. */
const stateOf = (sim: ReturnType<typeof createSimulator>): object => ({
  clock: { ...sim.clock.status(), wallTime: '' },
  tasks: sim.tasks(),
  journal: sim.journal(),
  rules: sim.rules(),
  usage: sim.usage(),
  namespaces: sim.core.namespaces.all().map(({ name }) => name),
})

it('resets everything to how a new simulator begins', async () => {
  await using sim = createSimulator({
    cacheDir: false,
    rules: [{ id: 'first fails', match: { op: 'video.submit' }, on: 1, task: { outcome: 'failure' } }],
  })
  const before = stateOf(sim)
  const live = async (): Promise<object> => {
    sim.next('video.poll', { respond: { status: 200, headers: { 'x-next': 'yes' } }, optional: true })
    await clientOf(sim).submit('a kite')
    await clientOf(sim)
      .make('another kite')
      .catch(() => undefined)
    return { ...stateOf(sim), journal: sim.journal().map((entry) => ({ ...entry, wallAt: 0, reasons: [] })) }
  }
  const lived = await live()

  sim.addRule({ match: { op: 'chat.*' }, delay: '20s' })
  sim.namespace('alice').addRule({ id: 'only alice', match: { op: '*' }, delay: '1s' })
  sim.clock.join('worker')
  sim.clock.hold('a breakpoint')
  sim.clock.set('manual')
  await sim.clock.advance('1h')
  sim.reset()

  expect(stateOf(sim)).toEqual(before)
  expect(await live()).toEqual(lived)
})

it('resets one namespace, and leaves the others as they are', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const [alice, bob] = [sim.namespace('alice'), sim.namespace('bob')]
  for (const { key, clock } of [alice, bob]) {
    await clientOf({ fetch: sim.fetch, key }).submit('a kite')
    await clock.advance('1h')
  }
  sim.addRule({ id: 'for all', match: { op: 'chat.*' }, delay: '20s' })
  alice.addRule({ id: 'only alice', match: { op: '*' }, delay: '1s' })
  alice.reset()
  expect(alice.tasks()).toEqual([])
  expect(alice.journal()).toEqual([])
  expect(alice.rules()).toMatchObject([{ id: 'for all' }])
  expect(bob.clock.now() - alice.clock.now()).toBe(3_600_000)
  expect(bob.tasks()).toHaveLength(1)
})

it('breaks off what is under way when it is reset, and leaves a participant alone that is gone', async () => {
  await using sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
  sim.next('video.submit', { delay: '5s' })
  const submitted = clientOf(sim).submit('a kite')
  using worker = sim.clock.join('worker')
  const slept = worker.sleep('1h')
  await turns()
  sim.reset()
  await expect(submitted).rejects.toThrow('fetch failed')
  await slept
  expect(sim.journal()).toEqual([])
})

it('judges by the scenario what comes after a reset, and nothing of before', async () => {
  const scenario = defineScenario({
    version: 1,
    expect: { requests: [{ op: 'video.submit', count: 1 }] },
  })
  await using sim = createSimulator({ cacheDir: false, scenario })
  await clientOf(sim).submit('a kite')
  await clientOf(sim).submit('another kite')
  expect((await sim.verdict()).passed).toBe(false)
  sim.reset()
  expect((await sim.verdict()).passed).toBe(false)
  await clientOf(sim).submit('a kite')
  expect((await sim.verdict()).passed).toBe(true)
})

it('is idle at once where nothing happens', async () => {
  await using sim = createSimulator({ cacheDir: false })
  await sim.idle()
})

it('is idle when the last response has gone out', async () => {
  await using sim = createSimulator({ cacheDir: false, clock: { mode: 'manual' } })
  sim.next('video.submit', { delay: '5s' })
  const submitted = clientOf(sim).submit('a kite')
  let isIdle = false
  const idle = sim.idle().then(() => (isIdle = true))
  await turns(20)
  expect(isIdle).toBe(false)
  await sim.clock.advance('5s')
  await idle
  expect(sim.journal()).toMatchObject([{ outcome: 'completed' }])
  await submitted
})

it('is idle when the client of the last response has left', async () => {
  await using sim = createSimulator({ cacheDir: false })
  sim.next('models.list', { delay: 'forever' })
  const client = new AbortController()
  const response = sim.fetch('/v1/models', {
    headers: { authorization: `Bearer ${sim.key}` },
    signal: client.signal,
  })
  await expect.poll(() => sim.journal()).toHaveLength(1)
  client.abort()
  await expect(response).rejects.toThrow()
  await sim.idle()
})

it('is idle when nothing is being rendered, also where no client waits for it', async () => {
  const { core } = createSimulator({ cacheDir: false })
  let finish = (): void => {}
  const media = {
    ...core.media,
    prefetch: () => new Promise<'ready'>((resolve) => (finish = () => resolve('ready'))),
  }
  await using sim = createSimulator({ media, clock: { mode: 'real' } })
  await clientOf(sim).submit('a kite')
  let isIdle = false
  const idle = sim.idle().then(() => (isIdle = true))
  await turns(20)
  expect(isIdle).toBe(false)
  finish()
  await idle
})

it('waits for the renders of a media source', async () => {
  const { core } = createSimulator({ cacheDir: false })
  let finish = (): void => {}
  const media = { ...core.media, idle: () => new Promise<void>((resolve) => (finish = resolve)) }
  await using sim = createSimulator({ media })
  let isIdle = false
  const idle = sim.idle().then(() => (isIdle = true))
  await turns(20)
  expect(isIdle).toBe(false)
  finish()
  await idle
})
