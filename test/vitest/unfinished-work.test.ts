import { expect, it, onTestFinished, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { findUnfinishedWork, Waits } from '../../src/vitest/unfinished-work.ts'
import { VideoClient } from '../support/video-client.ts'

function start(options: Parameters<typeof createSimulator>[0] = {}): {
  sim: ReturnType<typeof createSimulator>
  waits: Waits
  findWork: () => Promise<string | undefined>
} {
  const sim = createSimulator({ cacheDir: false, clock: { mode: 'auto' }, ...options })
  onTestFinished(() => sim.close())
  const waits = new Waits()
  return { sim, waits, findWork: () => findUnfinishedWork(sim.core.namespaces.get('default'), waits) }
}

const get = (sim: { fetch: typeof fetch }, signal?: AbortSignal): Promise<Response> =>
  sim.fetch('https://gateway.example/v1/models', {
    headers: { authorization: 'Bearer sk-test' },
    ...(signal && { signal }),
  })

it('finds a client whose test did not wait for it', async () => {
  const { sim, findWork } = start()
  const client = new VideoClient({ fetch: sim.fetch, baseUrl: 'https://gateway.example', key: 'sk-test' })
  const video = client.make('a red kite')
  expect(await findWork()).toBe(
    'while the client was at work (#1 POST /v1/video/generations, sent after its end): is an await missing?',
  )
  await video
})

it('finds a client that sleeps on the clock, again and again', async () => {
  const { sim, findWork } = start()
  let isOver = false
  const polling = (async () => {
    while (!isOver) await sim.clock.sleep('1s')
  })()
  expect(await findWork()).toBe(
    'while the client was at work (it sleeps on gateway.clock): is an await missing?',
  )
  isOver = true
  await polling
})

it('finds nothing once everything was awaited', async () => {
  const { sim, findWork } = start()
  await get(sim)
  expect(await findWork()).toBe(undefined)
})

it('takes no deadline that lost a race for work, nor a response that was given up', async () => {
  const rules = [{ id: 'hangs', match: { op: 'models.list' }, fault: 'hang' }] as const
  const { sim, findWork } = start({ rules })
  await Promise.race([get(sim).catch(() => {}), sim.clock.sleep('30s')])
  const { sim: other, findWork: findOther } = start()
  await Promise.race([get(other), other.clock.sleep('30s')])
  expect([await findWork(), await findOther()]).toEqual([undefined, undefined])
})

it('takes no download by an element of a page for work of the client', async () => {
  const { sim, findWork } = start()
  vi.stubGlobal('document', {})
  onTestFinished(() => void vi.unstubAllGlobals())
  const finding = findWork()
  await sim.fetch('https://gateway.example/v1/videos/task_1/content')
  const found = await finding
  expect([found, sim.journal()]).toEqual([undefined, [expect.objectContaining({ role: 'download' })]])
})

const forgotten =
  'before gateway.idle() had resolved: write await before it, and before each call of a function that calls it.'

it('names a call of the test that resolves after its end', async () => {
  const { sim, waits, findWork } = start()
  void waits.follow('gateway.idle()', sim.idle())
  expect(await findWork()).toBe(forgotten)
})

it('names a call that a function of the test makes after its end', async () => {
  const { sim, waits, findWork } = start()
  const nextPoll = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    await waits.follow('gateway.idle()', sim.idle())
  }
  void nextPoll()
  expect(await findWork()).toBe(forgotten)
})

it('names a call that takes longer, but not one that may never resolve', async () => {
  const never = new Promise<void>(() => {})
  const one = start()
  void one.waits.follow('gateway.explore()', never)
  const other = start()
  void other.waits.follow('gateway.idle()', never, { mayHang: true })
  expect(await one.findWork()).toMatch(/^before gateway\.explore\(\) had resolved/)
  expect(await other.findWork()).toBe(undefined)
})

it('says nothing of calls for which the test waited', async () => {
  const { sim, waits, findWork } = start()
  await waits.follow('gateway.idle()', sim.idle())
  await expect(waits.follow('gateway.verdict()', Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await findWork()).toBe(undefined)
})
