import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type Expect } from '../../src/index.ts'
import { MyClient } from '../support/my-client.ts'

const trouble = { id: 'trouble', match: { op: 'video.poll' }, times: 3, respond: { status: 503 } } as const

async function pollThrice(sim: EmbeddedSimulator): Promise<string> {
  const client = new MyClient({ baseUrl: 'https://gateway.example', fetch: sim.fetch })
  const task = await client.submitVideo('a red kite')
  for (let retry = 0; retry < 3; retry++) await client.get(`/v1/video/generations/${task}`)
  return task
}

const expected: Expect = { always: ['backs-off'], allow: { notExercised: true } }

it('judges retries before the first sleep on the clock', async () => {
  await using sim = createSimulator({ rules: [trouble] })
  using run = sim.watch(expected)
  const task = await pollThrice(sim)
  await sim.clock.sleep('5s')
  await sim.fetch(`https://gateway.example/v1/video/generations/${task}`, {
    headers: { Authorization: 'Bearer sk-test' },
  })
  const { passed, results, timing } = await run.verdict()
  expect(passed).toBe(false)
  expect(timing).toBe('approximate')
  expect(results).toMatchObject([
    { path: 'always[0]', verdict: 'fail', actual: expect.stringContaining('without a wait') },
  ])
})

it('shows a rule of the test whose retries could not be judged', async () => {
  await using sim = createSimulator()
  sim.addRule(trouble)
  using run = sim.watch()
  await pollThrice(sim)
  const { passed, results } = await run.verdict()
  expect(passed).toBe(true)
  expect(results).toMatchObject([
    {
      path: 'rules.trouble',
      verdict: 'not-applicable',
      fails: false,
      actual: expect.stringMatching(/^not judged by backs-off: no client slept on the clock/),
    },
  ])
})
