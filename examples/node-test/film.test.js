import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulator } from 'greenroom'
import { makeFilm } from './film.js'

test('makes a film', async (t) => {
  const sim = createSimulator()
  t.after(() => sim.close())

  const film = await makeFilm('a red kite', {
    baseUrl: 'https://gateway.example',
    key: 'sk-test',
    fetch: sim.fetch,
    sleep: sim.clock.sleep,
  })

  assert.equal(sim.task(film.id).status, 'SUCCESS')
  const { passed } = await sim.verdict()
  assert(passed)
})
