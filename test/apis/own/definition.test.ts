import { expect, it, vi } from 'vitest'
import {
  answer,
  ApiError,
  cancel,
  defineApi,
  download,
  poll,
  result,
  z,
  type ApiDefinition,
  type Call,
  type Job,
} from '../../../src/apis/own/index.ts'
import { baseUrls } from '../../../src/apis/index.ts'
import { createSimulator, type EmbeddedOptions } from '../../../src/index.ts'
import { acme, call, create, get, makeJob, simulatorOf } from './acme.ts'

const quirk = { values: ['a', 'b'], description: 'Style.' }

it.each<[string, object]>([
  ['name is "Acme". Write 1 to 31 lower-case letters, digits or "-"', { name: 'Acme' }],
  ['opertions is not known. Did you mean "operations"?', { opertions: {} }],
  ["states.failure is missing. Write the vendor's word", { states: { queue: 'a', work: 'b', success: 'c' } }],
  ["states is missing. Write the vendor's words", { states: undefined as never }],
  ['states has "a" twice.', { states: { queue: 'a', work: 'a', success: 'c', failure: 'd' } }],
  ['timing.render is "soon": "soon" is not a duration', { timing: { render: 'soon' } }],
  ['id is {"length":2}. Write \'uuid\', or', { id: { length: 2 } }],
  ['keys.like is /^a/g. Write a regular expression without', { keys: { like: /^a/g } }],
  [
    'refusals.expired is 200. Write a status from 400 to 599, or { status, code, message }.',
    { refusals: { expired: 200 } },
  ],
  ['error is 3. Write error: ({ message })', { error: 3 as never }],
  ['operations has no poll. Add one', { operations: { create } }],
  ['operations.again has the route of operations.get', { operations: { create, get, again: { ...get } } }],
  [
    'operations.get.route is "GET jobs". Write METHOD /path',
    { operations: { create, get: poll({ route: 'GET jobs', reply: () => 1 }) } },
  ],
  [
    'operations.get.route is "/jobs". It has no id of a job. Write it as {id}',
    { operations: { create, get: poll({ route: 'GET /jobs', reply: () => 1 }) } },
  ],
  [
    'operations.get.route is "/a/{id}/{id}". It has {id} twice.',
    { operations: { create, get: poll({ route: 'GET /a/{id}/{id}', reply: () => 1 }) } },
  ],
  [
    'operations.create.route is "/jobs". A submission has a body, so write POST, PUT or PATCH.',
    { operations: { create: { ...create, route: 'POST GET /jobs' }, get } },
  ],
  [
    'operations.get.boddy is not known. Known here: role, route',
    { operations: { create, get: { ...get, boddy: 1 } } },
  ],
  [
    'states.uploading is not known. Known here: queue, work, success, failure, cancelling, cancelled. ' +
      'Further words, such as for the last part of the work, are what shows returns',
    { states: { queue: 'a', work: 'b', success: 'c', failure: 'd', uploading: 'e' } as never },
  ],
  ['operations.get.reply is missing.', { operations: { create, get: { ...get, reply: undefined } } }],
  [
    'operations.file.expires is "soon".',
    { operations: { create, get, file: download({ route: 'GET /f/{id}', expires: 'soon' }) } },
  ],
  [
    'operations.file.linkExpires is "soon".',
    { operations: { create, get, file: download({ route: 'GET /f/{id}', linkExpires: 'soon' }) } },
  ],
  [
    'operations.file.expires is 86400. Write a duration with its unit',
    { operations: { create, get, file: download({ route: 'GET /f/{id}', expires: 86400 as never }) } },
  ],
  [
    'quirks.style.values is ["a"]. Write the values, the default first',
    { quirks: { style: { values: ['a'], description: 'Style.' } } },
  ],
  ["quirks.Style can't be a key: Use letters and digits", { quirks: { Style: quirk } }],
  ['quirks.style.description is missing. Write what', { quirks: { style: { values: ['a', 'b'] } } }],
  [
    'quirks.style.profiles has "c". The values are: a, b',
    { quirks: { style: { ...quirk, profiles: { page: 'c' } } } },
  ],
  [
    'quirks.style.variant.operation is "gt". Did you mean "get"?',
    { quirks: { style: { ...quirk, variant: { id: 'b', operation: 'gt', advice: 'Read both.' } } } },
  ],
  ['shows is "waiting". Write shows: (job) =>', { shows: 'waiting' }],
  ["timing.render is 90. Write a duration with its unit, such as '90s'", { timing: { render: 90 } }],
  [
    "operations.get.interval is 5. Write interval: { min: '5s' }",
    { operations: { create, get: { ...get, interval: 5 as never } } },
  ],
  [
    'operations.get.interval.min is 5. Write a duration with its unit, such as',
    { operations: { create, get: { ...get, interval: { min: 5 as never } } } },
  ],
  ['beginsAt is 120. Write a percentage', { beginsAt: 120 }],
  ['defaults.size is "big". Write WIDTHxHEIGHT', { defaults: { size: 'big' } }],
  [
    'refusals.expired.status is missing. Write a status from 400 to 599.',
    { refusals: { expired: { code: 'gone' } } },
  ],
  [
    'operations.file.stills is true. Write stills: { parameter',
    { operations: { create, get, file: download({ route: 'GET /f/{id}', stills: true as never }) } },
  ],
  [
    'operations.get.role is "pol". Did you mean "poll"?',
    { operations: { create, get: { ...get, role: 'pol' } } },
  ],
  ['operations.get is 5. Write submit({', { operations: { create, get: 5 } }],
  [
    'operations.get.route is "/acme/jobs/{id}". It has no id of a job. Write it as {job}',
    { idParameter: 'job' },
  ],
])('refuses a definition: %s', (message, change) => {
  const define = (): unknown => defineApi({ ...acme, ...change } as unknown as ApiDefinition)
  expect(define).toThrow(ApiError)
  expect(define).toThrow(message)
})

it('names operation and place of what throws, in the envelope, and judges it as a mistake of the file', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const broken = poll({
    route: 'GET /acme/jobs/{id}',
    reply: () => {
      throw new TypeError('boom')
    },
  })
  await using sim = simulatorOf({ operations: { create, get: broken } })
  const id = await makeJob(sim)
  const { status, text } = await call(sim, 'GET', `/acme/jobs/${id}`)
  expect(status).toBe(500)
  expect(JSON.parse(text)).toEqual({
    oops: expect.stringMatching(
      /^The definition of acme\.get threw in reply: TypeError: boom \(definition\.test\.ts:\d+\)/,
    ),
  })
  expect(printed).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^greenroom: The definition of acme\.get/),
  )
  const { results } = await sim.verdict()
  expect(results.map(({ hint }) => hint)).toContain('Correct the file that defines the API.')
  vi.restoreAllMocks()
})

it.each<[string, (job: Job) => unknown]>([
  ['returns a promise', () => Promise.reject(new Error('late'))],
  ['returns a promise', () => answer(200, Promise.reject(new Error('late')))],
  ['returns a promise', () => ({ urls: [Promise.reject(new Error('late'))] })],
  ['returns a function', () => () => 1],
  ['status is 99', () => answer(99, {})],
  ['the header "x" must be one line', () => answer(200, {}, { x: 'a\r\nb' })],
  ['the header "a b" has a name that is not valid', () => answer(200, {}, { 'a b': 'c' })],
  ['the header "Content-Length" follows from the body', () => answer(200, {}, { 'Content-Length': '1' })],
  ['the header "transfer-encoding" follows', () => answer(200, {}, { 'transfer-encoding': 'chunked' })],
  ['the header "content-length" follows', (job) => answer(200, job.file, { 'content-length': '1' })],
  ['it returns nothing. Return a value for JSON', () => undefined],
  ['failed in reply: the JSON has job.file. Return job.file itself', (job) => ({ video: job.file })],
  ['failed in reply: Do not know how to serialize a BigInt', () => ({ value: 1n })],
])('answers with 500 for a reply that %s', async (message, reply) => {
  await using sim = simulatorOf(
    { operations: { create, get: poll({ route: 'GET /acme/jobs/{id}', reply }) } },
    { onWarning: () => {} },
  )
  const { status, text } = await call(sim, 'GET', `/acme/jobs/${await makeJob(sim)}`)
  expect(status).toBe(500)
  expect((JSON.parse(text) as { oops: string }).oops).toContain(message)
})

it.each<[string, object]>([
  ['imgae is 3, and no field has this name. Known here: model', { imgae: 3 }],
  ['second is 6, and no field has this name. Did you mean "seconds"?', { second: 6 }],
  ['seconds is "six". Return a number of seconds above 0', { seconds: 'six' }],
  ['seed is null. Return a number or a text', { seed: null }],
  ["format is \"gif\". Return 'png', 'jpeg', 'webp', 'wav' or 'mp3'", { format: 'gif' }],
  ['count is 17. Return 1 to 16', { count: 17 }],
  ['model is missing. Return the name of a model', { model: undefined }],
])('answers with 500 for a job with a mistake: %s', async (message, fields) => {
  const job = () => ({ model: 'acme-1', prompt: 'x', ...fields }) as never
  const wrong = { ...create, job } as typeof create
  await using sim = simulatorOf({ operations: { create: wrong, get } }, { onWarning: () => {} })
  const { status, text } = await call(sim, 'POST', '/acme/jobs', { body: { text: 'x' } })
  expect(status).toBe(500)
  expect((JSON.parse(text) as { oops: string }).oops).toContain(
    `The definition of acme.create failed in job: ${message}`,
  )
})

it.each<[string, Partial<ApiDefinition>]>([
  [
    'job',
    {
      operations: {
        get,
        create: {
          ...create,
          job: () => {
            throw new Error('boom')
          },
        } as typeof create,
      },
    },
  ],
  [
    'reads',
    {
      operations: {
        get,
        create: {
          ...create,
          reads: () => {
            throw new Error('boom')
          },
        } as typeof create,
      },
    },
  ],
  [
    'images',
    {
      operations: {
        get,
        create: {
          ...create,
          images: () => {
            throw new Error('boom')
          },
        } as typeof create,
      },
    },
  ],
  [
    'error',
    {
      error: () => {
        throw new Error('boom')
      },
    },
  ],
])('answers with 500 for %s that throws', async (part, change) => {
  await using sim = simulatorOf(change, { onWarning: () => {} })
  const { status, text } = await call(sim, 'POST', '/acme/jobs', {
    body: part === 'error' ? {} : { text: 'x' },
  })
  expect(status).toBe(500)
  expect(text).toContain(`The definition of acme.create threw in ${part}: Error: boom`)
})

it('finds a job by a parameter of the query', async () => {
  const byQuery = poll({ route: 'GET /acme/query?task={id}', reply: (job) => job.status })
  await using sim = simulatorOf({ operations: { create, get: byQuery } })
  const id = await makeJob(sim)
  expect(await call(sim, 'GET', `/acme/query?task=${id}`)).toMatchObject({ status: 200, text: '"drawing"' })
  expect(await call(sim, 'GET', '/acme/query?task=nope')).toMatchObject({ status: 404 })
  expect(await call(sim, 'GET', '/acme/query')).toMatchObject({ status: 404 })
})

it('sends the file itself as a reply', async () => {
  const file = result({
    route: 'GET /acme/jobs/{id}/file',
    reply: (job) => (job.hasSucceeded ? job.file : answer(202, { status: job.status })),
  })
  await using sim = simulatorOf({ operations: { create, get, file } })
  const id = await makeJob(sim)
  expect(await call(sim, 'GET', `/acme/jobs/${id}/file`)).toMatchObject({ status: 202 })
  await sim.clock.advance('5m')
  expect(await call(sim, 'GET', `/acme/jobs/${id}/file`)).toMatchObject({ status: 200, type: 'video/mp4' })
})

it('gives a new link by each poll if links expire, until the file does', async () => {
  const file = download({ route: 'GET /acme/files/{id}', linkExpires: '10m', expires: '1h' })
  const timing = { queued: 0, render: '1s' }
  await using sim = simulatorOf({ timing, refusals: { expired: 410 }, operations: { create, get, file } })
  const id = await makeJob(sim)
  await sim.clock.advance('1m')
  const linkOf = async (): Promise<string> =>
    (JSON.parse((await call(sim, 'GET', `/acme/jobs/${id}`)).text) as { url: string }).url
  const statusOf = async (url: string): Promise<number> => (await call(sim, 'GET', url)).status
  const first = await linkOf()
  expect(await statusOf(first)).toBe(200)
  await sim.clock.advance('10m')
  expect(await statusOf(first)).toBe(410)
  const second = await linkOf()
  expect(second).not.toBe(first)
  expect(await statusOf(second)).toBe(200)
  await sim.clock.advance('50m')
  expect(await statusOf(await linkOf())).toBe(410)
})

it('lets the config say how long links work', async () => {
  const file = download({ route: 'GET /acme/files/{id}', linkExpires: '10m' })
  await using sim = simulatorOf({ operations: { create, get, file } }, { resultExpiresAfter: '1h' })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  const { url } = JSON.parse((await call(sim, 'GET', `/acme/jobs/${id}`)).text) as { url: string }
  await sim.clock.advance('30m')
  expect(await call(sim, 'GET', url)).toMatchObject({ status: 200 })
})

it('counts a cancelled job as failed if the vendor has no word for it', async () => {
  const stop = cancel({
    route: 'DELETE /acme/jobs/{id}',
    reply: (job, { hasEnded }) => [job.status, hasEnded],
  })
  await using sim = simulatorOf({ operations: { create, get, stop } })
  const id = await makeJob(sim)
  expect((await call(sim, 'DELETE', `/acme/jobs/${id}`)).text).toBe('["broken",false]')
  expect((await call(sim, 'DELETE', `/acme/jobs/${id}`)).text).toBe('["broken",true]')
})

it('gives the same jobs for the same seed', async () => {
  await using first = simulatorOf({})
  await using second = simulatorOf({})
  await using other = simulatorOf({}, { seed: 2 })
  const id = await makeJob(first)
  expect(await makeJob(second)).toBe(id)
  expect(await makeJob(other)).not.toBe(id)
})

const rejectLate = (): never => Promise.reject(new Error('late')) as never

it.each<[string, Partial<ApiDefinition>]>([
  ['job', { operations: { get, create: { ...create, job: rejectLate } as typeof create } }],
  ['reply', { operations: { get, create: { ...create, reply: rejectLate } as typeof create } }],
  ['images', { operations: { get, create: { ...create, images: rejectLate } as typeof create } }],
  [
    'body',
    {
      operations: {
        get,
        create: { ...create, body: z.object({ text: z.string().refine(rejectLate) }) } as typeof create,
      },
    },
  ],
  ['error', { error: rejectLate }],
])('answers with 500 for %s that is async, and continues when it rejects', async (part, change) => {
  await using sim = simulatorOf(change, { onWarning: () => {} })
  const { status, text } = await call(sim, 'POST', '/acme/jobs', {
    body: part === 'error' ? {} : { text: 'x' },
  })
  expect(status).toBe(500)
  expect(text).toContain(
    `The definition of acme.create failed in ${part}: it returns a promise. Functions of a definition can't be async`,
  )
  // The rejection is reported after the microtasks, and would fail the test.
  await new Promise((resolve) => setImmediate(resolve))
})

it('gives a reply the headers of a request, also without the object that has them', async () => {
  const reply = (_: Job, { header, query, params }: Call) => [header('X-Trace'), query.get('n'), params['id']]
  await using sim = simulatorOf({
    operations: { create, get: poll({ route: 'GET /acme/jobs/{id}', reply }) },
  })
  const id = await makeJob(sim)
  const headers = { authorization: 'Bearer sk-a', 'x-trace': 'abc' }
  expect((await call(sim, 'GET', `/acme/jobs/${id}?n=2`, { headers })).text).toBe(`["abc","2","${id}"]`)
})

it.each<[string, (call: Call) => unknown]>([
  ['this package', ({ header }) => header(undefined as never)],
  ['Node', () => new URL('nowhere')],
  ['another package', () => z.string().parse(1)],
])('names the place in the file for what %s throws', async (_, fail) => {
  const get = poll({ route: 'GET /acme/jobs/{id}', reply: (_job, request) => fail(request) })
  await using sim = simulatorOf({ operations: { create, get } }, { onWarning: () => {} })
  const { text } = await call(sim, 'GET', `/acme/jobs/${await makeJob(sim)}`)
  expect(text).toMatch(/threw in reply: .*\(definition\.test\.ts:\d+\)/s)
})

it('restores a snapshot for the same version of the definition only', async () => {
  await using sim = simulatorOf({})
  const id = await makeJob(sim)
  const saved = sim.snapshot()
  await using same = simulatorOf({})
  same.restore(saved)
  expect((await call(same, 'GET', `/acme/jobs/${id}`)).text).toContain('drawing')
  await using newer = simulatorOf({ version: 2 })
  expect(() => newer.restore(saved)).toThrow('the API "acme", version 1, and version 2 is served')
  await using without = createSimulator({ cacheDir: false })
  expect(() => without.restore(saved)).toThrow('and no such API is served')
})

it('restores a snapshot without jobs of an API that is not served', async () => {
  await using sim = simulatorOf({})
  await using without = createSimulator({ cacheDir: false })
  expect(() => without.restore(sim.snapshot())).not.toThrow()
})

it('reads no file that a restored record of images names', async () => {
  await using sim = simulatorOf({ makes: 'image' })
  await makeJob(sim)
  const text = JSON.stringify(sim.snapshot()).replace(
    '"kind":"picture"',
    '"kind":"file","path":"/etc/kite.png"',
  )
  const response = await sim.fetch('/_greenroom/snapshot', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain("can't be polled")
})

it('describes the body of a submission in the OpenAPI document', async () => {
  await using sim = simulatorOf({})
  const response = await sim.fetch('/_greenroom/openapi.json')
  const document = (await response.json()) as { paths: Record<string, Record<string, object>> }
  expect(document.paths['/acme/jobs']!['post']).toMatchObject({ tags: ['acme'] })
  expect(JSON.stringify(document.paths['/acme/jobs'])).toContain('"text"')
})

it('is in the banner of a server with its path', () => {
  expect(baseUrls('http://x', [defineApi(acme)])).toMatchObject({ acme: 'http://x/acme/jobs' })
})

const style = { style: { values: ['flat', 'nested'], description: 'Style.' } } as const

it('chooses a quirk by the config, and a value of a profile', async () => {
  const quirks = { style: { ...style.style, profiles: { upstream: 'nested' } } } as const
  const look = poll({ route: 'GET /acme/jobs/{id}', reply: (_job, call) => call.quirks['style'] })
  const styleOf = async (options: EmbeddedOptions) => {
    await using sim = simulatorOf({ quirks, operations: { create, get: look } }, options)
    return (await call(sim, 'GET', `/acme/jobs/${await makeJob(sim)}`)).text
  }
  expect(await styleOf({})).toBe('"flat"')
  expect(await styleOf({ quirks: { style: 'nested' } as EmbeddedOptions['quirks'] & object })).toBe(
    '"nested"',
  )
  expect(await styleOf({ profile: 'upstream' })).toBe('"nested"')
})

it('refuses a quirk whose name another API has, or greenroom', () => {
  const named = (name: string, route: string, quirk: string): ApiDefinition => {
    const file = {
      ...acme.operations,
      create: { ...create, route: `POST ${route}` },
      get: { ...get, route: `GET ${route}/{id}` },
    }
    return defineApi({
      ...acme,
      name,
      quirks: { [quirk]: style.style },
      operations: file as typeof acme.operations,
    })
  }
  const open = (...apis: ApiDefinition[]) => createSimulator({ apis, cacheDir: false })
  expect(() => open(named('one', '/one', 'sseNewline'))).toThrow(
    'apis[0]: quirks.sseNewline has the name of a quirk of greenroom. Write another name.',
  )
  expect(() => open(named('one', '/one', 'style'), named('two', '/two', 'style'))).toThrow(
    'apis[1]: quirks.style has the name of a quirk of apis[0]. Write another name.',
  )
})
