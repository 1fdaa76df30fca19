import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulator } from 'greenroom'
import { makeVideo } from './video.js'

test('makes a video', async (t) => {
  const sim = createSimulator()
  t.after(() => sim.close())

  const video = await makeVideo('a red kite', {
    baseUrl: 'https://gateway.example',
    key: 'sk-test',
    fetch: sim.fetch,
    sleep: sim.clock.sleep,
  })

  assert.equal(sim.task(video.id).status, 'SUCCESS')
  // Throws what the client did wrong, if anything.
  await sim.assertVerdict()
})
