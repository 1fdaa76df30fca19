import { expect, it } from 'vitest'
import { poll, submit, z, type Refusal } from '../../../src/apis/own/index.ts'
import { call, simulatorOf } from './acme.ts'

const keys = { like: /^acme_/, headers: ['x-acme-key'] }

it('refuses keys of another form than that of the API, and says its form and place', async () => {
  await using sim = simulatorOf({ keys })
  const poll = async (key?: string) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'x-acme-key': key }
    return call(sim, 'GET', '/acme/jobs/1', { headers })
  }
  const isUnlike =
    '{"oops":"Invalid token. The key must match /^acme_/. Without configured keys, any such key works."}'
  expect((await poll('nope')).text).toBe(isUnlike)
  expect((await poll('sk-x')).text).toBe(isUnlike)
  expect((await poll()).text).toBe(
    '{"oops":"Invalid token. The request has no key. Send any key that matches /^acme_/ in the header x-acme-key."}',
  )
  for (const valid of ['acme_1', 'sk-greenroom', sim.key])
    expect(await poll(valid)).toMatchObject({ status: 404 })
})

it.each([
  [{ schemes: ['Token'] }, 'the header Authorization: Token KEY'],
  [{ query: 'key' }, 'the parameter key of the query'],
  [{ like: /^a/ }, 'the header Authorization: Bearer KEY'],
])('says where a key belongs by %j', async (places, place) => {
  await using sim = simulatorOf({ keys: places })
  expect((await call(sim, 'GET', '/acme/jobs/1', { headers: {} })).text).toContain(` in ${place}."}`)
})

it('accepts only configured keys, whatever form the API gives them', async () => {
  await using sim = simulatorOf({ keys }, { keys: ['sk-mine'] })
  const statusFor = async (key: string) =>
    (await call(sim, 'GET', '/acme/jobs/1', { headers: { 'x-acme-key': key } })).status
  expect([await statusFor('acme_1'), await statusFor('sk-mine')]).toEqual([401, 404])
})

it('leaves the form of keys to each API', async () => {
  await using sim = simulatorOf({ keys })
  const headers = { authorization: 'Bearer acme_1' }
  expect(await call(sim, 'GET', '/acme/jobs/1', { headers })).toMatchObject({ status: 404 })
  expect(await call(sim, 'GET', '/v1/models', { headers })).toMatchObject({ status: 401 })
})

it.each([
  ['GET', '/acme/job', 'Did you mean POST /acme/jobs (acme.create)?'],
  ['PUT', '/acme/jobs/abc', 'This path takes GET (acme.get).'],
  [
    'GET',
    '/acme/jobs/abc/frames',
    'The operations of acme are POST /acme/jobs (acme.create), GET /acme/jobs/{id} (acme.get), GET HEAD /acme/output/{id}/{n} (acme.output).',
  ],
  ['GET', '/acme', 'The operations of acme are POST /acme/jobs'],
])('refuses %s %s in the envelope of the API, with advice', async (method, path, advice) => {
  await using sim = simulatorOf({})
  const { status, text } = await call(sim, method, path)
  expect(status).toBe(404)
  expect(text).toContain(`{"oops":"Invalid URL (${method} ${path}). ${advice}`)
})

it('refuses unknown paths below a shared start in the envelope of the API that they resemble', async () => {
  const route = 'POST /v1/video_generation'
  const query = poll({ route: 'GET /v1/query/video_generation?task_id={id}', reply: () => 1 })
  await using sim = simulatorOf({
    operations: {
      create: submit({ route, body: z.object({}), job: () => ({ model: 'm', prompt: '' }), reply: () => 1 }),
      query,
    },
  })
  expect((await call(sim, 'POST', '/v1/video_generatio')).text).toContain('{"oops":')
  expect((await call(sim, 'GET', '/v1/query/video')).text).toContain('{"oops":')
  expect((await call(sim, 'POST', '/v1/video/generation')).text).toContain('"error":')
  expect((await call(sim, 'GET', '/v1/nothing')).text).toContain('"error":')
})

it('says in English, with a code, that a balance is too small', async () => {
  const refusals: Refusal[] = []
  const error = (refusal: Refusal) => {
    refusals.push(refusal)
    return {}
  }
  await using sim = simulatorOf({ error }, { keys: [{ key: 'sk-a', balance: 0.1 }] })
  expect(await call(sim, 'POST', '/acme/jobs', { body: { text: 'x' } })).toMatchObject({ status: 403 })
  expect(refusals).toEqual([
    {
      status: 403,
      code: 'insufficient_user_quota',
      message: expect.stringMatching(/^The balance of the key is \$0\.1, and the job costs \$[\d.]+$/),
      issues: [],
    },
  ])
})
