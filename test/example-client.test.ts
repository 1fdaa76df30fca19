import { expect, it } from 'vitest'
import { createSimulator, type NodeSimulator, type Rule } from '../src/index.ts'

type MakeVideo = (prompt: string, options: object) => Promise<{ id: string; bytes: Uint8Array }>

// A variable keeps the compiler out of the example, which is plain JavaScript without types.
const exampleUrl = new URL('../examples/vitest/video.js', import.meta.url).href
const { makeVideo } = (await import(exampleUrl)) as { makeVideo: MakeVideo }

/** Runs the client of the examples, which sleeps on the simulator's clock, and records how long it sleeps. */
async function runExample(
  rules: readonly Rule[],
  options: { prompt?: string; deadlineMs?: number; key?: string } = {},
): Promise<{
  sim: NodeSimulator
  sleeps: number[]
  error: Error | undefined
  video: Uint8Array | undefined
}> {
  const sim = createSimulator({ seed: 7, rules: [...rules] })
  const { prompt = 'a red kite', key = 'sk-test', ...more } = options
  const sleeps: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    sleeps.push(ms)
    await sim.clock.sleep(ms)
  }
  const baseUrl = 'https://gateway.example'
  const made = makeVideo(prompt, { baseUrl, key, fetch: sim.fetch, sleep, ...more })
  const result = await made.then(
    ({ bytes }) => ({ video: bytes, error: undefined }),
    (error: Error) => ({ video: undefined, error }),
  )
  return { sim, sleeps, ...result }
}

const countRequests = (sim: NodeSimulator, operation: string): number => sim.journal({ operation }).length

it('downloads again a video that arrives damaged', async () => {
  const { sim, video } = await runExample([
    { match: { op: 'video.content' }, on: 1, fault: { type: 'corrupt', bytes: 16 } },
  ])
  await using _ = sim

  expect(video?.length).toBeGreaterThan(0)
  expect(countRequests(sim, 'video.content')).toBe(2)
})

it('downloads again what is not a video at all', async () => {
  const { sim, video } = await runExample([
    { match: { op: 'video.content' }, on: 1, respond: { status: 200, body: 'not a video' } },
  ])
  await using _ = sim

  expect(Buffer.from(video!.subarray(4, 8)).toString()).toBe('ftyp')
})

it('retries a submission that was refused, as late as Retry-After says', async () => {
  const { sim, sleeps } = await runExample([
    {
      match: { op: 'video.submit' },
      attempts: [{ respond: { status: 429, headers: { 'retry-after': '40' } } }, 'ok'],
    },
  ])
  await using _ = sim

  expect(countRequests(sim, 'video.submit')).toBe(2)
  expect(sleeps[0]).toBe(40_000)
  expect((await sim.verdict()).passed).toBe(true)
})

it('does not submit again when the response got lost, since the task may exist', async () => {
  const { sim, error } = await runExample([{ match: { op: 'video.submit' }, attempts: ['reset', 'ok'] }])
  await using _ = sim

  expect(error).toBeInstanceOf(TypeError)
  expect(countRequests(sim, 'video.submit')).toBe(1)
})

it('gives up on a task that never ends', async () => {
  const { sim, error } = await runExample([], { prompt: 'a kite [[stuck]]' })
  await using _ = sim

  expect(error?.message).toBe('gave up after 600 s')
})

it('sends a request with a refused key once', async () => {
  const { sim, error } = await runExample([], { key: 'nonsense' })
  await using _ = sim

  expect(error?.message).toBe('/v1/video/generations returned 401')
  expect(countRequests(sim, 'video.submit')).toBe(1)
})

it('polls a task that is gone once', async () => {
  const { sim, error } = await runExample([{ match: { op: 'video.poll' }, respond: { status: 404 } }])
  await using _ = sim

  expect(error?.message).toMatch(/returned 404$/)
  expect(countRequests(sim, 'video.poll')).toBe(1)
})

it('reports a failed task that gives no reason', async () => {
  const { sim, error } = await runExample([
    { match: { op: 'video.submit' }, task: { outcome: 'failure', reason: '' } },
  ])
  await using _ = sim

  expect(error?.message).toBe('the video failed without a reason')
  expect(countRequests(sim, 'video.content')).toBe(0)
})
