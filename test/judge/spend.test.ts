import { describe, expect, it } from 'vitest'
import { createSimulator, VerdictError } from '../../src/index.ts'
import { MyClient } from '../support/my-client.ts'

/** The gateway's unit of money. */
const quotaPerDollar = 500_000

describe('what a run costs', () => {
  it('equals the prices in the journal and the sums of the accounts, to the unit', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await using sim = createSimulator({
        seed,
        discount: seed % 2 === 0 ? 0.37 : 1,
        prices: [
          { models: 'mj_*', perTask: 0.0501 },
          { models: 'video-*', perTask: 0.003, perSecond: 0.07 },
          { models: '*', input: 0.5, output: 2.1 },
        ],
        rules: [
          { match: { op: ['video.submit', 'mj.imagine'] }, chance: '40%', task: { outcome: 'failure' } },
        ],
      })
      const run = sim.watch()
      const send = (path: string, body: object, key = 'sk-one'): Promise<Response> =>
        sim.fetch(`https://gateway.example${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      for (let number = 0; number < 12; number++) {
        const kind = (seed * 7 + number * 5) % 4
        const prompt = `kite ${number}`
        if (kind === 0)
          await send('/v1/video/generations', { model: 'video-1', prompt, seconds: 1 + (number % 5) })
        if (kind === 1) await send('/mj/submit/imagine', { prompt })
        if (kind === 2)
          await send('/v1/chat/completions', {
            model: 'sim-text-1',
            messages: [{ role: 'user', content: prompt }],
          })
        if (kind === 3) await send('/v1/video/generations', { model: 'video-1', prompt }, 'sk-two')
        await sim.clock.advance('3s')
        const { spent } = await run.verdict()
        const accounts = sim.usage().map((usage) => usage.spent + usage.reserved)
        const ofAccounts = Number(accounts.reduce((sum, dollars) => sum + dollars, 0).toFixed(6))
        const failed = new Set(sim.tasks().flatMap(({ id, status }) => (status === 'FAILURE' ? [id] : [])))
        const quota = sim
          .journal()
          .filter(({ task }) => task === null || !failed.has(task))
          .reduce((sum, entry) => sum + entry.quota, 0)
        expect([spent, quota / quotaPerDollar]).toEqual([ofAccounts, ofAccounts])
      }
    }
  })

  it('stays the same when a task is deleted, also one that had failed', async () => {
    await using sim = createSimulator({ video: { listAndDelete: true }, clock: { mode: 'manual' } })
    const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
    const run = sim.watch()
    for (const prompt of ['a kite', 'a kite [[fail: storm]]']) {
      const body = JSON.stringify({ model: 'video-1', prompt, seconds: '4' })
      const init = { method: 'POST', headers, body }
      const { id } = (await (await sim.fetch('https://gateway.example/v1/videos', init)).json()) as {
        id: string
      }
      await sim.clock.advance('10m')
      await sim.fetch(`https://gateway.example/v1/videos/${id}`, { method: 'DELETE', headers })
      const { spent } = await run.verdict()
      expect([spent, sim.usage()[0]!.spent]).toEqual([0.32, 0.32])
    }
    expect(sim.tasks()).toEqual([])
  })

  it('may not exceed what the run may cost', async () => {
    await using sim = createSimulator()
    const client = new MyClient({ fetch: sim.fetch })
    const run = sim.watch({ spend: { max: 0.08 } })
    await client.makeVideo('a red kite')
    expect(await run.verdict()).toMatchObject({ spent: 0.08, passed: true })
    await client.makeVideo('a blue kite')
    const { spent, passed, results } = await run.verdict()
    expect({ spent, passed }).toEqual({ spent: 0.16, passed: false })
    expect(results[0]).toMatchObject({ path: 'spend', expected: 'at most $0.08', actual: 'spent $0.16' })
  })

  it('is not exceeded by a task that failed', async () => {
    await using sim = createSimulator()
    sim.next('video.submit', { task: { outcome: 'failure', reason: '' } })
    const run = sim.watch({ spend: { max: 0 } })
    await new MyClient({ fetch: sim.fetch }).makeVideo('a red kite').catch(() => {})
    expect((await run.verdict()).spent).toBe(0)
  })
})

describe('abandoned tasks in tests', () => {
  it('are found when a test asks for it', async () => {
    await using sim = createSimulator()
    const client = new MyClient({ fetch: sim.fetch })
    await client.makeVideo('a red kite')
    await sim.expectNoAbandonedTasks()
    await client.submitVideo('a blue kite')
    expect((await sim.verdict()).passed).toBe(true)
    await expect(sim.expectNoAbandonedTasks()).rejects.toThrow(VerdictError)
  })
})
