// Jest runs modules of the language with NODE_OPTIONS=--experimental-vm-modules; this folder needs no transforms.
import { afterEach, expect, jest, test } from '@jest/globals'
import { createSimulator } from 'greenroom'
import { greenroomMatchers } from 'greenroom/matchers'
import { makeFilm } from './film.js'

expect.extend(greenroomMatchers)

let sim
afterEach(() => sim.close())

test('makes a film', async () => {
  sim = createSimulator()

  const film = await makeFilm('a red kite', {
    baseUrl: 'https://gateway.example',
    key: 'sk-test',
    fetch: sim.fetch,
    sleep: sim.clock.sleep,
  })

  expect(sim).toHaveDownloaded({ task: film.id })
  expect(await sim.verdict()).toPass()
})

test('waits three minutes for a film, on timers that Jest fakes', async () => {
  jest.useFakeTimers()
  sim = createSimulator({ clock: { mode: 'host' } })
  const began = Date.now()

  const film = makeFilm('[[queued 30s]] [[render 150s]] a red kite', {
    baseUrl: 'https://gateway.example',
    key: 'sk-test',
    fetch: sim.fetch,
  })
  await jest.advanceTimersByTimeAsync(180_000)
  await film

  expect(Date.now() - began).toBe(180_000)
  jest.useRealTimers()
})
