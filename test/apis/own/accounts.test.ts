import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedOptions } from '../../../src/index.ts'
import { remove } from '../../../src/apis/own/index.ts'
import { acme, call, simulatorOf } from './acme.ts'

/** Keys of this vendor end in a nonce. */
const keys = { like: /^acme_/, account: (key: string) => key.split('.')[0]! }
const operations = {
  ...acme.operations,
  forget: remove({ route: 'DELETE /acme/jobs/{id}', reply: () => ({}) }),
}
const headersOf = (key: string) => ({ authorization: `Bearer ${key}` })
const body = { text: 'a red kite' }

it.each([
  ['acme_me.2', 200],
  ['acme_you.1', 404],
])('lets an account delete its job, whichever of its keys a request has: %s', async (key, status) => {
  await using sim = simulatorOf({ keys, operations })
  const made = await call(sim, 'POST', '/acme/jobs', { body, headers: headersOf('acme_me.1') })
  const { id } = JSON.parse(made.text) as { id: string }
  expect(await call(sim, 'DELETE', `/acme/jobs/${id}`, { headers: headersOf(key) })).toMatchObject({ status })
})

it('counts the requests of an account for rules and throttles per key', async () => {
  const options: EmbeddedOptions = {
    rules: [{ match: { op: 'acme.create' }, per: 'key', on: 2, respond: { status: 503 } }],
  }
  await using sim = simulatorOf({ keys }, options)
  const submit = async (key: string) =>
    (await call(sim, 'POST', '/acme/jobs', { body: { text: key }, headers: headersOf(key) })).status
  expect([await submit('acme_me.1'), await submit('acme_you.1'), await submit('acme_me.2')]).toEqual([
    200, 200, 503,
  ])
})

it('bills an account, and takes it as a configured key', async () => {
  await using sim = simulatorOf({ keys }, { keys: [{ key: 'acme_me', balance: 5 }] })
  const submit = async (key: string) =>
    (await call(sim, 'POST', '/acme/jobs', { body: { text: key }, headers: headersOf(key) })).status
  expect([await submit('acme_me.1'), await submit('acme_me.2'), await submit('acme_you.1')]).toEqual([
    200, 200, 401,
  ])
  expect(sim.usage()).toMatchObject([{ tasks: 2 }])
})

it.each([
  ['one', 'pass'],
  ['other', 'fail'],
])('judges one-key by the account: %s', async (account, verdict) => {
  await using sim = simulatorOf({ keys })
  const made = await call(sim, 'POST', '/acme/jobs', { body, headers: headersOf('acme_one.1') })
  const { id } = JSON.parse(made.text) as { id: string }
  await call(sim, 'GET', `/acme/jobs/${id}`, { headers: headersOf(`acme_${account}.2`) })
  const { invariants } = await sim.verdict()
  expect(invariants.find(({ name }) => name === 'one-key')).toMatchObject({ verdict })
})

it.each([
  [
    'it throws',
    () => {
      throw new TypeError('no dot')
    },
    'acme threw in keys.account: TypeError: no dot',
  ],
  ['it returns no text', () => undefined as never, 'acme failed in keys.account: it returns missing'],
])('says why an account is unknown if %s', async (_why, account, message) => {
  await using sim = simulatorOf({ keys: { ...keys, account } }, { onWarning: () => {} })
  const { status, text } = await call(sim, 'GET', '/acme/jobs/1', { headers: headersOf('acme_me.1') })
  expect([status, text]).toEqual([500, expect.stringContaining(message)])
})

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

it('takes the issuer of signed tokens as a key of the config, on every API', async () => {
  await using sim = createSimulator({ keys: [{ key: 'my-access-key', balance: 5 }] })
  const status = async (iss: string, exp: number) => {
    const token = `${encode({ alg: 'HS256' })}.${encode({ iss, exp })}.c2ln`
    return (await sim.fetch('/v1/models', { headers: headersOf(token) })).status
  }
  expect([
    await status('my-access-key', 1),
    await status('my-access-key', 2),
    await status('you', 1),
  ]).toEqual([200, 200, 401])
})
