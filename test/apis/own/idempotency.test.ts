import { expect, it } from 'vitest'
import { createSimulator, explore, type NodeSimulator } from '../../../src/index.ts'
import { defineApi, submit, type SubmitOptions } from '../../../src/apis/own/index.ts'
import { acme, call, create, simulatorOf } from './acme.ts'

type Idempotency = NonNullable<SubmitOptions['idempotency']>

const simulatorWith = (idempotency: Idempotency): NodeSimulator =>
  simulatorOf({ operations: { ...acme.operations, create: submit({ ...create, idempotency } as never) } })

const headersOf = (key: string) => ({ authorization: 'Bearer sk-a', 'idempotency-key': key })
const make = (sim: NodeSimulator, key: string, text = 'a red kite') =>
  call(sim, 'POST', '/acme/jobs', { body: { text }, headers: headersOf(key) })

it('gives the second request with a key the first reply, also when the job has moved on', async () => {
  await using sim = simulatorWith({ header: 'Idempotency-Key' })
  const first = await make(sim, 'k1')
  await sim.clock.advance('1h')
  expect(await make(sim, 'k1')).toEqual(first)
  expect((await make(sim, 'k2')).text).not.toBe(first.text)
  expect(sim.tasks()).toHaveLength(2)
})

it('refuses another body with the same key in the envelope of the vendor', async () => {
  await using sim = simulatorWith({ header: 'idempotency-key' })
  await make(sim, 'k1')
  expect(await make(sim, 'k1', 'a boat')).toMatchObject({
    status: 409,
    text: '{"oops":"The idempotency key was used for another request"}',
  })
})

it('reads the key by a function of the call, and none if it returns undefined', async () => {
  await using sim = simulatorWith(({ header }) => header('idempotency-key').split('/')[1])
  const first = await make(sim, 'a/k1')
  expect((await make(sim, 'b/k1')).text).toBe(first.text)
  expect((await make(sim, 'none')).text).not.toBe((await make(sim, 'none')).text)
})

it('keeps the first reply in a snapshot', async () => {
  await using before = simulatorWith({ header: 'idempotency-key' })
  const first = await make(before, 'k1')
  const snapshot = before.snapshot()
  await using sim = simulatorWith({ header: 'idempotency-key' })
  sim.restore(snapshot)
  expect(await make(sim, 'k1')).toEqual(first)
})

it('takes the key from a field of the body, if the config says so', async () => {
  await using sim = createSimulator({ idempotencyKeys: { field: 'meta.token' } })
  const headers = { authorization: 'Bearer sk-a', 'content-type': 'application/json' }
  const id = async (token: string): Promise<string> => {
    const body = JSON.stringify({ model: 'kling-v2', prompt: 'a kite', meta: { token } })
    const response = await sim.fetch('/v1/video/generations', { method: 'POST', headers, body })
    return ((await response.json()) as { id: string }).id
  }
  const first = await id('k1')
  expect([(await id('k1')) === first, (await id('k2')) === first]).toEqual([true, false])
})

/** A client that submits again after ten seconds. @param keyOf the idempotency key of an attempt. */
const clientWith =
  (keyOf: (attempt: number) => string): Parameters<typeof explore>[0] =>
  async ({ fetch, sleep }) => {
    const send = async (path: string, init: RequestInit = {}): Promise<Record<string, string>> => {
      const response = await Promise.race([fetch(path, init), sleep(10_000).then(() => Response.error())])
      if (!response.ok) throw new Error(`${path} returned ${response.status}`)
      return (await response.json()) as Record<string, string>
    }
    const body = '{"text":"a red kite"}'
    const submitOnce = (attempt: number) =>
      send('/acme/jobs', {
        method: 'POST',
        body,
        headers: { ...headersOf(keyOf(attempt)), 'content-type': 'application/json' },
      })
    const { id } = await submitOnce(1).catch(async () => {
      await sleep(5_000)
      return submitOnce(2)
    })
    for (;;) {
      await sleep(5_000)
      const { status } = await send(`/acme/jobs/${id}`, { headers: headersOf('-') })
      if (status === 'broken') throw new Error('it broke')
      if (status === 'ready') return 'ready'
    }
  }

const apis = [defineApi({ ...acme })]
const exploreWith = (keyOf: (attempt: number) => string) =>
  explore(clientWith(keyOf), { scenario: { config: { apis } }, only: ['honoured key', 'no answer'] } as never)

it('explores with a gateway that honours keys, and finds a client that makes a new one for each attempt', async () => {
  await expect(exploreWith((attempt) => `k${attempt}`)).rejects.toThrow(
    'The client makes a new idempotency key for each attempt',
  )
})

it('says of a client with one key for all attempts that it is safe only with a gateway that honours the key', async () => {
  const message: string = await exploreWith(() => 'k1').then(() => '', String)
  expect(message.replaceAll(/\s+/g, ' ')).toContain(
    'again with the same idempotency key (acme.create): safe only with a gateway that honours the key.',
  )
  expect(message).toContain('1 finding')
})
