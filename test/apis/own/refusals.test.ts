import { expect, it } from 'vitest'
import { answer, poll, refusal, submit, z, type Answer, type Refusal } from '../../../src/apis/own/index.ts'
import { call, create, get, makeJob, simulatorOf } from './acme.ts'

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
  await using sim = simulatorOf(
    { error },
    {
      keys: [{ key: 'sk-a', balance: 0.1 }],
      prices: [{ models: '*', perTask: 0.2 }],
    },
  )
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

/** A submission that refuses a text by an answer. */
const choosy = (refusal: Answer) =>
  submit({
    route: 'POST /acme/jobs',
    body: z.object({ text: z.string() }),
    job: ({ body }) => (body.text === 'no' ? refusal : { model: 'acme-1', prompt: body.text }),
    reply: (job) => ({ id: job.id }),
  })

it('refuses a request by the answer of job, and makes no job of it', async () => {
  const refusal = answer(422, { oops: 'No such voice' }, { 'x-voices': 'two' })
  await using sim = simulatorOf({ operations: { create: choosy(refusal), get } })
  const refused = await sim.fetch('/acme/jobs', {
    method: 'POST',
    headers: { authorization: 'Bearer sk-a', 'content-type': 'application/json' },
    body: '{"text":"no"}',
  })
  expect([refused.status, refused.headers.get('x-voices')]).toEqual([422, 'two'])
  expect(await refused.text()).toBe('{"oops":"No such voice"}')
  expect(sim.tasks()).toEqual([])
  expect(sim.journal().at(-1)).toMatchObject({ status: 422, task: null })
  await makeJob(sim)
  expect(sim.tasks()).toHaveLength(1)
})

it('makes no job of a refusal with status 200', async () => {
  await using sim = simulatorOf({ operations: { create: choosy(answer(200, { code: 7 })), get } })
  expect(await call(sim, 'POST', '/acme/jobs', { body: { text: 'no' } })).toMatchObject({
    status: 200,
    text: '{"code":7}',
  })
  expect(sim.tasks()).toEqual([])
})

it.each<[string, Answer]>([
  ['failed in job: status is 99. Give 200 to 599', answer(99, {})],
  ['failed in job: Do not know how to serialize a BigInt', answer(422, { value: 1n })],
  ['failed in job: the header', answer(422, {}, { x: 'a\r\nb' })],
])(
  'answers with 500 in the envelope of the API if the answer of job has a mistake: %s',
  async (message, refusal) => {
    await using sim = simulatorOf({ operations: { create: choosy(refusal), get } }, { onWarning: () => {} })
    const { status, text } = await call(sim, 'POST', '/acme/jobs', { body: { text: 'no' } })
    expect(status).toBe(500)
    expect((JSON.parse(text) as { oops: string }).oops).toContain(`The definition of acme.create ${message}`)
  },
)

it.each([17, 1_000_000])('refuses %d images in the envelope of the API', async (count) => {
  const images = () => Array<string>(count).fill('https://example.com/kite.png')
  await using sim = simulatorOf({ operations: { create: { ...create, images } as typeof create, get } })
  expect(await call(sim, 'POST', '/acme/jobs', { body: { text: 'x' } })).toMatchObject({
    status: 422,
    text: `{"oops":"images has ${count} pictures, at most 16 are taken"}`,
  })
  expect(sim.tasks()).toEqual([])
})

it('takes 16 images', async () => {
  const images = () => Array<string>(16).fill('https://example.com/kite.png')
  await using sim = simulatorOf({ operations: { create: { ...create, images } as typeof create, get } })
  expect(await call(sim, 'POST', '/acme/jobs', { body: { text: 'x' } })).toMatchObject({ status: 200 })
})

it('refuses a poll whose reply returns or throws a refusal', async () => {
  const unpaid = refusal('Pay first', 'unknownJob')
  const fail = (): never => {
    throw unpaid
  }
  for (const reply of [() => unpaid, fail]) {
    await using sim = simulatorOf({
      operations: { create, get: poll({ route: 'GET /acme/jobs/{id}', reply }) },
    })
    const id = await makeJob(sim)
    expect(await call(sim, 'GET', `/acme/jobs/${id}`)).toMatchObject({
      status: 404,
      text: '{"oops":"Pay first"}',
    })
  }
})
