import { expect, it } from 'vitest'
import { createSimulator } from '../src/index.ts'
import { VideoClient } from './support/video-client.ts'

it('plays the rules of a namespace there alone, and judges it by them', async () => {
  await using sim = createSimulator({
    cacheDir: false,
    throttles: [{ id: 'few', match: { op: 'video.submit' }, bucket: { capacity: 1, refill: '1/10s' } }],
  })
  const [one, other] = ['one', 'other'].map((name) => sim.namespace(name)) as [
    ReturnType<typeof sim.namespace>,
    ReturnType<typeof sim.namespace>,
  ]
  using run = one.watch()
  using otherRun = other.watch({ allow: { unusedRules: true } })
  one.addRule({ id: 'lost', match: { op: 'video.poll' }, on: 1, fault: 'reset' })
  const client = (key: string): VideoClient =>
    new VideoClient({ baseUrl: 'https://gateway.example', key, fetch: sim.fetch })
  await client(other.key).make('a kite')
  await expect(client(one.key).make('a kite')).rejects.toThrow()
  expect(one.rules()).toMatchObject([{ id: 'lost', fired: 1 }])
  expect(other.rules()).toEqual([])
  expect(sim.core.control.rules.list()).toMatchObject([{ id: 'lost', namespace: 'one' }])
  const { results } = await run.verdict()
  expect(results.map(({ path, actual }) => [path, actual])).toEqual([
    ['rules.few', 'never fired, eligible for 1 request'],
  ])
  expect((await otherRun.verdict()).passed).toBe(true)
  expect(other.removeRule('lost')).toBe(false)
  expect(one.removeRule('lost')).toBe(true)
})

it('keeps what was for the next request spent, when tasks and exchanges are forgotten', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const client = new VideoClient({ baseUrl: 'https://gateway.example', key: sim.key, fetch: sim.fetch })
  sim.next('video.submit', { fault: 'reset' })
  await expect(client.make('a kite')).rejects.toThrow()
  sim.clear()
  await expect(client.make('a kite')).resolves.toBeTruthy()
})
