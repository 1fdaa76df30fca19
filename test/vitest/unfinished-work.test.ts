import { expect, it, onTestFinished, vi } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { findUnfinishedWork } from '../../src/vitest/timeout.ts'
import { VideoClient } from '../support/video-client.ts'

function start(options: Parameters<typeof createSimulator>[0] = {}): {
  sim: ReturnType<typeof createSimulator>
  findWork: () => Promise<string | undefined>
} {
  const sim = createSimulator({ cacheDir: false, clock: { mode: 'auto' }, ...options })
  onTestFinished(() => sim.close())
  return { sim, findWork: () => findUnfinishedWork(sim.core.namespaces.get('default')) }
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
  expect(await findWork()).toMatch(/^#1 POST \/v1\/video\/generations, sent after its end$/)
  await video
})

it('finds a client that sleeps on the clock, again and again', async () => {
  const { sim, findWork } = start()
  let isOver = false
  const polling = (async () => {
    while (!isOver) await sim.clock.sleep('1s')
  })()
  expect(await findWork()).toBe('it sleeps on gateway.clock')
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
