import { expect, it } from 'vitest'
import { watchRun } from '../src/embedded/watched-run.ts'
import { createSimulator } from '../src/index.ts'

it('waits for the requests of a client that has ended, whose connections close a moment later', async () => {
  await using sim = createSimulator({ seed: 1, text: { timing: { tokensPerSecond: 1 } } })
  const run = watchRun(sim.core, 'default', {})
  await run.settled()
  const response = await sim.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim-text-1',
      stream: true,
      messages: [{ role: 'user', content: 'Why do kites fly?' }],
    }),
  })
  const reader = response.body!.getReader()
  await reader.read()
  let isSettled = false
  const settled = run.settled().then(() => (isSettled = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSettled).toBe(false)
  await reader.cancel()
  await settled
  expect(sim.journal()[0]!.outcome).toBe('aborted')
  run.stop()
})
