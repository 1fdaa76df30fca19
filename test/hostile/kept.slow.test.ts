import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { knownBodies } from './corpus.ts'
import { everything } from './open.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const huge = 'x'.repeat(400_000)

/** Copies of a body in each of which another text is a huge one; and one in which every field is named so. */
function swollen(body: unknown, put: (changed: unknown) => unknown = (changed) => changed): unknown[] {
  if (typeof body === 'string') return [put(huge)]
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) =>
    swollen(value, (changed) => put(Array.isArray(body) ? [changed] : { ...body, [name]: changed })),
  )
}

const submits = knownBodies.filter(
  ({ name, path }) => /submit|generations|videos/.test(path) && /accepted|variation/.test(name),
)

describe('keeps no more of a request than a task needs, whatever is huge in it', () => {
  it.each(submits)('$name', async ({ path, headers, body }) => {
    await using sim = createSimulator({ ...everything, limits: { journalEntries: 10_000 } })
    const whole = {
      ...(JSON.parse(body!) as object),
      state: 'x',
      user: 'x',
      model: 'x',
      notifyHook: 'x',
      mode: 'x',
    }
    for (const each of swollen(whole)) {
      await sim.fetch(`https://gateway.example${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(each),
      })
    }
    expect(JSON.stringify(sim.tasks()).length).toBeLessThan(300_000)
    expect(JSON.stringify(sim.journal()).length).toBeLessThan(100_000)
  })
})

it('keeps no huge prompt, path or key alive for the beginning that it notes of it', async () => {
  await using sim = createSimulator({ ...everything })
  const ask = async (path: string, fields: object, key: string): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'video-1', ...fields })
    await (await sim.fetch(`https://gateway.example${path}`, { method: 'POST', headers, body })).text()
  }
  await ask('/v1/video/generations', { prompt: 'a kite' }, 'sk-test')
  collect()
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 10; count++) {
    await ask('/v1/video/generations', { prompt: `${count}${huge}` }, 'sk-test')
    await ask('/v1/video/generations', { prompt: 'a kite', model: `${count}${huge}` }, 'sk-test')
    await ask('/v1/video/generations', { prompt: 'a kite', seed: `${count}${huge}` }, 'sk-test')
    await ask(`/v1/${count}${huge}`, {}, 'sk-test')
    await ask('/v1/video/generations', { prompt: 'a kite' }, `sk-${count}${huge}`)
    await ask('/v1/video/generations', { prompt: 'a kite' }, `sk-sim-${count}${huge}`)
  }
  await new Promise((resolve) => setTimeout(resolve, 10))
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000)
})
