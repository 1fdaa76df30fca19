import { expect, it } from 'vitest'
import { createSimulator, type SimulatorOptions } from '../../src/index.ts'

const body = { model: 'kling-v2', prompt: 'a kite' }

/** Submits twice. @returns the statuses, and how many tasks there are. */
async function submitTwice(options: SimulatorOptions, second: { key?: string; prompt?: string } = {}) {
  await using sim = createSimulator(options)
  const submit = (key: string, prompt = 'a kite') =>
    sim.fetch('/v1/video/generations', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-a', 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ ...body, prompt }),
    })
  const one = await submit('k1')
  const two = await submit(second.key ?? 'k1', second.prompt)
  const ids = await Promise.all([one, two].map(async (each) => ((await each.json()) as { id?: string }).id))
  return { status: two.status, isSame: ids[0] === ids[1], tasks: sim.tasks().length }
}

it('makes a second task for the same idempotency key by default', async () => {
  expect(await submitTwice({})).toEqual({ status: 200, isSame: false, tasks: 2 })
})

it('gives a repeated submission the first response if keys are honoured', async () => {
  expect(await submitTwice({ idempotencyKeys: true })).toEqual({ status: 200, isSame: true, tasks: 1 })
})

it('refuses another body with the same key', async () => {
  const refused = await submitTwice({ idempotencyKeys: true }, { prompt: 'a boat' })
  expect(refused).toMatchObject({ status: 409, tasks: 1 })
})

it('makes a second task for another key, and reads the key from the named header alone', async () => {
  expect(await submitTwice({ idempotencyKeys: true }, { key: 'k2' })).toMatchObject({ tasks: 2 })
  expect(await submitTwice({ idempotencyKeys: { header: 'x-request-key' } })).toMatchObject({ tasks: 2 })
})
