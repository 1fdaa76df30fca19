import { statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settings } from '../support/steps.ts'
import { pollVideo, submitVideo } from '../support/video.ts'
import { fileIn, newFolder, startStored, type Stored } from './stored.ts'

it('is as large after ten days of traffic as after two, in memory and on the disk', async () => {
  const folder = newFolder()
  await using stored = await startStored(
    folder,
    {
      ...settings,
      seed: 1,
      throttles: [],
      retention: { tasks: 60, age: '6h' },
      limits: { journalEntries: 50 },
      keys: [],
    },
    { growth: 100_000 },
  )
  const { sim } = stored
  const transport = { call: stored.call }
  const sizes: Record<string, number>[] = []
  for (let day = 0; day < 10; day++) {
    for (let n = 0; n < 40; n++) {
      // Prompts, keys and unknown ids are repeated, as in the tests of a team.
      const headers = { authorization: `Bearer sk-${n % 7}` }
      const id = await submitVideo(
        transport,
        { prompt: `a kite ${n} [[${n % 3 === 0 ? 'stuck' : 'render 1m'}]]` },
        headers,
      )
      await transport.call(`/v1/video/generations/${id}`, { headers })
      await transport.call(`/v1/video/generations/none-${n}`, { headers })
      const drawn = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      await transport.call('/mj/submit/imagine', { ...drawn, body: JSON.stringify({ prompt: `a fox ${n}` }) })
      await sim.clock.advance('36m')
    }
    sizes.push({ ...sizesOf(sim.core.state.values()), bytes: statSync(fileIn(folder)).size })
  }
  const [early, late] = [sizes[1]!, sizes.at(-1)!]
  expect(late['task']).toBeGreaterThan(5)
  for (const [part, size] of Object.entries(late)) {
    expect(size, `${part} grows`).toBeLessThanOrEqual(early[part]! * (part === 'bytes' ? 1.5 : 1.1) + 3)
  }
  expect(sim.journal().length).toBe(50)
  expect(statSync(fileIn(folder)).size).toBeLessThan(2_000_000)
}, 60_000)

it.each([
  ['count', { tasks: 60 }],
  ['age', { age: '4m' }],
])(
  'stores no more after an hour of traffic than after ten minutes, when tasks are removed by %s',
  async (_, retention) => {
    const folder = newFolder()
    let stored: Stored = await startStored(folder, { retention }, { growth: 100_000 })
    const bytes: number[] = []
    for (let minute = 0; minute < 60; minute++) {
      if (minute === 30) {
        await stored.close()
        stored = await startStored(folder, { retention }, { growth: 100_000 })
      }
      for (let n = 0; n < 12; n++) {
        const id = await submitVideo(stored, { prompt: `a kite ${n}` })
        await pollVideo(stored, id)
        await stored.sim.clock.advance('5s')
        await pollVideo(stored, id)
      }
      bytes.push(statSync(fileIn(folder)).size)
    }
    const count = stored.sim.tasks().length
    await stored.close()
    expect(count).toBeGreaterThan(40)
    expect(count).toBeLessThanOrEqual(60)
    expect(bytes.at(-1)).toBeLessThanOrEqual(1.2 * bytes[10]! + 100_000)
  },
  120_000,
)

function sizesOf(values: Iterable<readonly [part: string, ...rest: unknown[]]>): Record<string, number> {
  const sizes: Record<string, number> = {}
  for (const [part] of values) sizes[part] = (sizes[part] ?? 0) + 1
  return sizes
}
