import { setupServer } from 'msw/node'
import { expect, it } from 'vitest'
import { createSimulator, defineScenario, loadScenario, type Expect } from '../../src/index.ts'
import { submitVideo } from '../support/video.ts'

const url = 'https://gateway.example'
const transportOf = (simFetch: typeof fetch) => ({
  call: (path: string, init?: RequestInit) => simFetch(url + path, init),
})

const headers = { authorization: 'Bearer sk-a-test' }

const story = defineScenario({
  version: 1,
  name: 'a lost poll',
  seed: 7,
  rules: [{ id: 'lost', match: { op: 'video.poll' }, attempts: ['reset', 'ok'] }],
  expect: {
    requests: [{ op: 'video.submit', count: 1 }],
    tasks: [{ kind: 'video', status: 'SUCCESS' }],
    always: ['no-early-download'],
    allow: { notExercised: true },
  },
})

it('judges what a client did in a test, by a scenario', async () => {
  await using sim = createSimulator({ scenario: story })
  const task = await submitVideo(transportOf(sim.fetch))
  const poll = (): Promise<Response> => sim.fetch(`${url}/v1/video/generations/${task}`, { headers })
  await expect(poll()).rejects.toThrow()
  await sim.clock.advanceUntil(task, 'SUCCESS')
  await poll()
  const verdict = await sim.verdict()
  expect(verdict.results.filter(({ fails }) => fails)).toEqual([])
  expect(verdict).toMatchObject({ name: 'a lost poll', seed: '7', passed: true })
})

it('finds mistakes of a client through MSW, with the offending request', async () => {
  await using sim = createSimulator({ scenario: story })
  const server = setupServer(...sim.handlers({ baseUrl: url }))
  server.listen()
  try {
    const task = await submitVideo(transportOf(fetch))
    await fetch(`${url}/v1/video/generations/${task}`, { headers }).catch(() => {})
    await fetch(`${url}/v1/videos/${task}/content`, { headers })
  } finally {
    server.close()
  }
  const { passed, results } = await sim.verdict()
  expect(passed).toBe(false)
  expect(results.find(({ title }) => title.includes('no-early-download'))).toMatchObject({
    verdict: 'fail',
    requests: [3],
  })
})

it('reports the position of an expectation in its file', async () => {
  await using sim = createSimulator({ scenario: await loadScenario('scenarios/second-task-fails.yaml') })
  const { passed, results } = await sim.verdict()
  expect(passed).toBe(false)
  expect(results[0]).toMatchObject({ fails: true, at: { line: expect.any(Number) } })
})

it('judges by the invariants without an expectation', async () => {
  await using sim = createSimulator()
  await sim.fetch(`${url}/v1/video/generations/task_x`)
  const { passed, results } = await sim.verdict()
  expect(passed).toBe(false)
  expect(results.filter(({ fails }) => fails).map(({ path }) => path)).toEqual(['always[1]'])
})

it('watches a part of a test, and judges each namespace by itself', async () => {
  await using sim = createSimulator()
  const mine = sim.namespace('mine')
  await sim.fetch(`${url}/v1/video/generations/task_x`)
  using run = mine.watch({ requests: [{ op: 'video.submit', count: 1 }] })
  await submitVideo(transportOf(sim.fetch), {}, { authorization: `Bearer ${mine.key}` })
  expect((await run.verdict()).passed).toBe(true)
  expect(run.audit().requests).toBe(1)
})

it.each<Expect>([
  { within: 'soon' },
  { tasks: [{ elapsed: { min: '1s' } }, { elapsed: { max: 'soon' } }] },
  { requests: [{ op: 'video.poll', ttfb: { min: 'soon' } }] },
  { sometimes: [{ rule: 'busy' }, { task: { elapsed: { max: 'soon' } } }] },
  { sometimes: [{ request: { op: 'video.poll', ttfb: { max: 'soon' } } }] },
  { quiet: [{ op: 'video.poll', after: '1m', for: 'soon' }] },
  { always: [{ name: 'poll-interval', min: 'soon' }] },
])('refuses a duration that it can not read before there is anything to judge: %j', async (expectation) => {
  await using sim = createSimulator({ cacheDir: false })
  expect(() => sim.watch(expectation)).toThrow('"soon": "soon" is not a duration')
})

it('does not play a scenario without the files it extends', () => {
  expect(() => createSimulator({ scenario: { version: 1, extends: ['base.yaml'] } })).toThrow(
    'it extends base.yaml. Load it by loadScenario(path)',
  )
})

it.each([
  ['story.yaml', 'it is "story.yaml". Load it first'],
  [Promise.resolve({ version: 1 }), 'it is a promise. Load it first'],
])('plays nothing that was not loaded', (scenario, message) => {
  expect(() => createSimulator({ scenario: scenario as never })).toThrow(message)
})

it('takes a task after a reset for another one, though it has the same id', async () => {
  await using sim = createSimulator({ seed: 7 })
  using run = sim.watch({ always: ['no-poll-after-terminal', 'no-abandoned-task'] })
  const poll = (task: string): Promise<Response> =>
    sim.fetch(`${url}/v1/video/generations/${task}`, { headers })
  const follow = async (): Promise<string> => {
    const task = await submitVideo(transportOf(sim.fetch))
    await sim.clock.advance('5m')
    await poll(task)
    return task
  }
  const first = await follow()
  await submitVideo(transportOf(sim.fetch))
  await sim.fetch(`${url}/_greenroom/reset`, { method: 'POST' })
  expect(await follow()).toBe(first)
  expect(await run.verdict()).toMatchObject({ passed: true })
  await poll(first)
  expect(await run.verdict()).toMatchObject({ passed: false })
})
