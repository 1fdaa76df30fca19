import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type Snapshot } from '../../src/index.ts'
import { settings, steps, take, type Stage, type Step } from '../support/steps.ts'
import { needs } from '../support/needs.ts'

const simulator = (): EmbeddedSimulator => createSimulator({ ...settings, seed: 7, cacheDir: false })

async function answers(sim: EmbeddedSimulator, done: readonly Step[], made: string[]): Promise<unknown[]> {
  const stage: Stage = { call: (path, init) => sim.fetch(path, init), made }
  const all = []
  for (const step of done) all.push(await take(step, stage))
  return [...all, sim.tasks(), sim.usage(), sim.clock.now()]
}

it('returns the same responses after a restore as after the snapshot', async () => {
  needs('video.submit')
  await fc.assert(
    fc.asyncProperty(steps, steps, async (before, after) => {
      await using sim = simulator()
      const made: string[] = []
      await answers(sim, before, made)
      const snapshot = sim.core.control.state.snapshot()
      const known = [...made]
      const first = await answers(sim, after, made)
      sim.core.control.state.restore(JSON.parse(JSON.stringify(snapshot)))
      expect(sim.core.control.state.snapshot().state.map(withoutWall)).toEqual(
        snapshot.state.map(withoutWall),
      )
      expect(await answers(sim, after, [...known])).toEqual(first)

      // The same in another process.
      await using other = simulator()
      other.core.control.state.restore(JSON.parse(JSON.stringify(snapshot)))
      expect(await answers(other, after, [...known])).toEqual(first)
    }),
    {
      numRuns: 25,
      examples: [
        [
          [
            { do: 'video', prompt: 'a kite', key: 'sk-rich' },
            { do: 'remove', task: 0 },
            { do: 'imagine', prompt: 'a kite' },
          ],
          [],
        ],
        // The first drawing that runs fails, and the one that waits moves up.
        [
          [
            { do: 'imagine', prompt: 'a kite' },
            { do: 'imagine', prompt: 'a kite' },
          ],
          [{ do: 'fail', task: 0 }],
        ],
      ],
    },
  )
}, 60_000)

/** The host's time is another whenever one looks. */
function withoutWall([part, names, value]: Snapshot['state'][number]): unknown {
  return [part, names, part === 'clock' ? { ...(value as object), wall: 0 } : value]
}

it('yields to the event loop between reading a snapshot and restoring it', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const document = JSON.stringify(sim.snapshot())
  const seen: string[] = []
  setImmediate(() => setImmediate(() => seen.push('turn')))
  expect((await sim.fetch('/_greenroom/snapshot', { method: 'PUT', body: document })).status).toBe(200)
  expect(seen).toEqual(['turn'])
})

it('yields to the event loop while a snapshot is checked, and restores it atomically', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }
  for (let made = 0; made < 600; made++) {
    const body = JSON.stringify({ model: 'video-1', prompt: `kite ${made}` })
    await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
  }
  const body = JSON.stringify(sim.core.control.state.snapshot())
  sim.core.control.clear('default', { tasks: true })
  const seen: number[] = []
  let isOver = false
  const look = (): void => {
    seen.push(sim.tasks().length)
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  expect((await sim.fetch('/_greenroom/snapshot', { method: 'PUT', body })).status).toBe(200)
  isOver = true
  expect([...new Set(seen)].filter((count) => count !== 600)).toEqual([0])
  expect(seen.length).toBeGreaterThan(5)
  expect(sim.tasks()).toHaveLength(600)
})
