import { expect, it } from 'vitest'
import { createSimulator, type Rule } from '../../src/index.ts'

const poll = { body: { code: 'success', message: '', data: { status: 'IN_PROGRESS', progress: '10%' } } }

/** Which invariants a client violates that polls again a second after a response that a rule wrote. */
async function violated(respond: Rule['respond'] & {}): Promise<string[]> {
  await using sim = createSimulator({ seed: 7, rules: [{ match: { op: 'video.poll' }, on: 2, respond }] })
  const headers = { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' }
  const call = async (path: string, init?: RequestInit): Promise<string> =>
    (await sim.fetch(path, { ...init, headers })).text()
  const body = JSON.stringify({ model: 'video-1', prompt: 'a red kite [[render 5m]]' })
  const { task_id: id } = JSON.parse(await call('/v1/video/generations', { method: 'POST', body })) as {
    task_id: string
  }
  for (const seconds of [5, 5, 1]) {
    await sim.clock.sleep(`${seconds}s`)
    await call(`/v1/video/generations/${id}`)
  }
  const { invariants } = await sim.verdict()
  return invariants.flatMap(({ name, verdict }) => (verdict === 'fail' ? [name] : []))
}

it('takes a response that a rule calls broken for one that must be requested again', async () => {
  expect(await violated({ ...poll, broken: true })).toEqual([])
  expect(await violated(poll)).toEqual(['poll-interval'])
})
