import { expect, it } from 'vitest'
import { createSimulator, type Rule } from '../../src/index.ts'
import { answer, defineApi, poll as pollOf, submit, z } from '../../src/apis/own/index.ts'

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

/** The verdict of `backs-off` on three retries without a wait, with an API that sends each error with 200. */
async function judgeRetries(status: number): Promise<string | undefined> {
  const acme = defineApi({
    name: 'acme',
    states: { queue: 'WAIT', work: 'RUN', success: 'OK', failure: 'BAD' },
    error: ({ message, status: code }) => answer(200, { code, message }),
    operations: {
      make: submit({
        route: 'POST /acme/jobs',
        body: z.looseObject({}),
        job: () => ({ model: 'acme-1', prompt: 'a kite' }),
        reply: ({ id }) => ({ id }),
      }),
      get: pollOf({ route: 'GET /acme/jobs/{id}', reply: (job) => ({ status: job.status }) }),
    },
  })
  const rules: Rule[] = [{ match: { op: 'acme.get' }, times: 3, respond: { status } }]
  await using sim = createSimulator({ apis: [acme], rules })
  const init = { headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' } }
  const made = await sim.fetch('/acme/jobs', { ...init, method: 'POST', body: '{}' })
  const { id } = (await made.json()) as { id: string }
  await sim.clock.sleep('5s')
  for (let attempt = 0; attempt < 4; attempt++) await (await sim.fetch(`/acme/jobs/${id}`, init)).text()
  const { invariants } = await sim.verdict()
  return invariants.find(({ name }) => name === 'backs-off')?.verdict
}

it('judges retries after an error code that stands for 429 or 5xx, whatever status its API sends it with', async () => {
  expect(await judgeRetries(503)).toBe('fail')
  expect(await judgeRetries(429)).toBe('fail')
  expect(await judgeRetries(403)).toBe('not-exercised')
})
