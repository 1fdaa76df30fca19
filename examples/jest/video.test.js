// Jest runs modules of the language with NODE_OPTIONS=--experimental-vm-modules; this folder needs no transforms.
import { afterEach, expect, jest, test } from '@jest/globals'
import { createSimulator } from 'greenroom'
import { greenroomMatchers } from 'greenroom/matchers'
import { makeVideo } from './video.js'

expect.extend(greenroomMatchers)

let sim
afterEach(() => sim.close())

test('makes a video', async () => {
  sim = createSimulator()

  const video = await makeVideo('a red kite', {
    baseUrl: 'https://gateway.example',
    key: 'sk-test',
    fetch: sim.fetch,
    sleep: sim.clock.sleep,
  })

  expect(sim).toHaveDownloaded({ task: video.id })
  expect(await sim.verdict()).toPass()
})

test('waits three minutes for a video, on timers that Jest fakes', async () => {
  jest.useFakeTimers()
  sim = createSimulator({ clock: { mode: 'host' } })
  const began = Date.now()

  const video = makeVideo('[[queued 30s]] [[render 150s]] a red kite', {
    baseUrl: 'https://gateway.example',
    key: 'sk-test',
    fetch: sim.fetch,
  })
  await jest.advanceTimersByTimeAsync(180_000)
  await video

  expect(Date.now() - began).toBe(180_000)
  jest.useRealTimers()
})
