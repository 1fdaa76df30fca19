import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  answer,
  call,
  cancel,
  defineApi,
  list,
  poll,
  submit,
  z,
  type ExampleRequest,
  type Job,
  type Refusal,
} from '../../src/apis/own/index.ts'
import { tryApis } from '../../src/cli/inspect/try-apis.ts'
import { serve } from '../../src/cli/serve/serve.ts'
import { loadShipped, shippedNames } from '../support/own-apis.ts'
import { run } from './run-in-folder.ts'

const create = submit({
  route: 'POST /acme/jobs',
  body: z.object({ text: z.string().min(1), kind: z.enum(['a', 'b']), more: z.array(z.number()).optional() }),
  job: ({ body }) => ({ model: body.kind, prompt: body.text }),
  reply: (job) => ({ id: job.id }),
})

const messagesFor = async (reply: (job: Job) => unknown): Promise<readonly string[]> => {
  const operations = { create, get: poll({ route: 'GET /acme/jobs/{id}', reply }) }
  const states = { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' }
  const api = defineApi({ name: 'acme', states, error: ({ message }) => message, operations })
  return (await tryApis([api])).mistakes
}

it('has nothing to say of a definition whose functions are pure', async () => {
  expect(await messagesFor((job) => ({ at: job.endedAt, url: job.url }))).toEqual([])
})

it.each([() => Date.now(), () => Math.random()])(
  'finds a reply that differs by itself: %s',
  async (impure) => {
    expect(await messagesFor(impure)).toEqual([
      expect.stringMatching(
        /^acme\.get gives another reply for the same request: its functions must be pure\./,
      ),
    ])
  },
)

it('finds a function that throws once the job has ended', async () => {
  const throwAtEnd = (job: Job): unknown => (job.isDone ? (job as unknown as { nope: () => 1 }).nope() : 1)
  expect(await messagesFor(throwAtEnd)).toEqual([
    expect.stringMatching(
      /^The definition of acme\.get threw in reply: TypeError: .* \(try-apis\.test\.ts:\d+\)$/,
    ),
  ])
})

it('finds a function that throws for a failed job', async () => {
  const throwAtFailure = (job: Job): unknown =>
    job.hasFailed ? (job as unknown as { nope: () => 1 }).nope() : 1
  expect(await messagesFor(throwAtFailure)).toEqual([
    expect.stringMatching(/^The definition of acme\.get threw in reply: TypeError/),
  ])
})

it.each<[string, (refusal: Refusal) => unknown]>([
  ['it returns nothing. Return the envelope', () => undefined],
  [
    'threw in error: Error: boom',
    () => {
      throw new Error('boom')
    },
  ],
])('finds an error that fails: %s', async (message, error) => {
  const operations = { create, get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ id }) => id }) }
  const states = { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' }
  const { mistakes } = await tryApis([defineApi({ name: 'acme', states, error, operations })])
  expect(mistakes[0]).toContain(message)
})

const submitting = (image: z.ZodType) =>
  defineApi({
    name: 'acme',
    states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
    error: ({ message }) => message,
    operations: {
      get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ id }) => id }),
      create: submit({
        route: 'POST /acme/jobs',
        body: z.object({ image }),
        job: () => ({ model: 'a', prompt: 'x' }),
        reply: () => {
          throw new Error('boom')
        },
      }),
    },
  })

it.each<[string, z.ZodType]>([
  ['a URL by a pattern', z.string().regex(/^(https:\/\/|data:image\/)/)],
  ['a URL', z.url()],
  ['a choice of a pattern and a list', z.union([z.string().regex(/^data:/), z.array(z.string())])],
  ['a ratio', z.string().regex(/^\d+:\d+$/)],
  ['a UUID', z.uuid()],
  [
    'a value with an example',
    z
      .string()
      .startsWith('asset_')
      .meta({ examples: ['asset_1'] }),
  ],
])('calls a submission whose body has %s', async (_, image) => {
  expect(await tryApis([submitting(image)])).toMatchObject({
    mistakes: [expect.stringContaining('acme.create threw in reply: Error: boom')],
    untried: [],
  })
})

it('says which submission it can not try, and which field does not fit', async () => {
  expect(await tryApis([submitting(z.string().startsWith('asset_'))])).toEqual({
    mistakes: [],
    untried: [
      'acme.get was not tried, since no submission made a job.',
      expect.stringMatching(/^acme\.create was not tried, .*: image: Invalid string.*example: \{ body/),
      'acme.output was not tried, since no submission made a job.',
    ],
    tried: 0,
  })
})

/** It has one voice, and a version that each request names. */
const choosy = (example: ExampleRequest<{ voice: string }>) => {
  const create = submit({
    route: 'POST /acme/jobs',
    body: z.object({ voice: z.string() }),
    example,
    job: ({ body }) => (body.voice === 'low' ? { model: 'a', prompt: 'x' } : answer(422, { oops: 'voice' })),
    reply: ({ id }) => id,
  })
  return defineApi({
    name: 'acme',
    states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
    before: ({ header }) => (header('x-acme-version') === '2' ? undefined : answer(400, {})),
    operations: {
      create,
      get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ id }) => id }),
      stop: cancel({
        route: 'DELETE /acme/jobs/{id}',
        reply: (_, { hasEnded }) => answer(hasEnded ? 409 : 204),
      }),
      upload: call({ route: 'POST /acme/files', body: z.object({ name: z.string() }), reply: () => ({}) }),
    },
  })
}

it('sends the example of a submission, and its headers with every request', async () => {
  const example = { body: { voice: 'low' }, headers: { 'x-acme-version': '2' } }
  expect(await tryApis([choosy(example)])).toEqual({ mistakes: [], untried: [], tried: 5 })
})

it('says which submission refuses the request that it sends, and what else it did not try', async () => {
  const { untried } = await tryApis([choosy({ headers: { 'x-acme-version': '2' } })])
  expect(untried).toEqual([
    expect.stringMatching(
      /^acme\.create was not tried, since it refuses the request for it with 422: .+ The request had the body \{.+\}\. Give one that it accepts: example: /,
    ),
    ...['get', 'stop', 'output'].map((key) => `acme.${key} was not tried, since no submission made a job.`),
  ])
})

const choosyFile = `import { answer, defineApi, poll, submit, z } from 'greenroom/api'
export default defineApi({
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
  before: ({ header }) => (header('x-acme-version') === '2' ? undefined : answer(400, {})),
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string() }),
      job: ({ body }) => ({ model: 'a', prompt: body.text }),
      reply: ({ id }) => id,
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ id }) => id }),
  },
})
`

it('does not say ok of what it could not try, and exits with 26 if that is everything', async () => {
  const { code, printed, warned } = await run(['check', '--api', './acme.ts'], { 'acme.ts': choosyFile })
  expect([code, printed]).toEqual([26, './acme.ts: tried, apart from 3 of 3 operations\n'])
  expect(warned).toContain(
    'hint: acme.create was not tried, since it refuses the request for it with 400: {}. The request had the body {"text":',
  )
})

it('says ok of a definition whose example it could try', async () => {
  const given = choosyFile.replace(
    '      job: (',
    "      example: { headers: { 'x-acme-version': '2' } },\n      job: (",
  )
  const { code, printed } = await run(['check', '--api', './acme.ts'], { 'acme.ts': given })
  expect([code, printed]).toEqual([0, './acme.ts: ok\n'])
})

it.each(shippedNames)('tries every operation of %s, which comes with greenroom', async (name) => {
  const { mistakes, untried } = await tryApis(await loadShipped([name]))
  expect([mistakes, untried]).toEqual([[], []])
})

it('finds functions that are async', async () => {
  const later = () => Promise.reject(new Error('late'))
  expect(await messagesFor(later)).toEqual([
    expect.stringContaining('acme.get failed in reply: it returns a promise. Functions of a definition'),
  ])
})

it('runs a server whose APIs are code where an endless loop can be ended', () => {
  const folder = mkdtempSync(join(tmpdir(), 'serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(serve.runsUserCode!({}, folder)).toBe(false)
  expect(serve.runsUserCode!({ api: ['./acme.ts'] }, folder)).toBe(true)
  expect(serve.runsUserCode!({ scenario: 'one.yaml' }, folder)).toBe(false)
  expect(serve.runsUserCode!({ scenario: 'one.ts' }, folder)).toBe(true)
  writeFileSync(join(folder, 'greenroom.config.yaml'), 'apis: [./acme.ts]\n')
  expect(serve.runsUserCode!({}, folder)).toBe(true)
})

it('tries a list over POST, by its example if it has one', async () => {
  const listed = (more: object) =>
    defineApi({
      name: 'acme',
      states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' },
      operations: {
        create: submit({
          route: 'POST /acme/jobs',
          body: z.object({ text: z.string() }),
          job: ({ body }) => ({ model: 'a', prompt: body.text }),
          reply: (job) => ({ id: job.id }),
        }),
        get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ id }) => ({ id }) }),
        all: list({
          route: 'POST /acme/list',
          page: ({ body }) => ({ limit: Number(body['max']) }),
          reply: (jobs) => jobs.map(({ id }) => id),
          ...more,
        }),
      },
    })
  const untriedOf = async (api: ReturnType<typeof listed>) => (await tryApis([api])).untried
  expect(await untriedOf(listed({}))).toEqual(['acme.all was tried with refusals only: 422.'])
  expect(await untriedOf(listed({ page: undefined }))).toEqual([])
  expect(await untriedOf(listed({ example: { body: { max: 5 } } }))).toEqual([])
})

it('fills the id of a job into the example of a submission that continues one', async () => {
  const reply = (job: Job): unknown => ({ id: job.id })
  const more = submit({
    route: 'POST /acme/motions',
    body: z.object({ imageId: z.string() }),
    ofJob: true,
    id: ({ body }) => body.imageId,
    example: { body: { imageId: '{id}' } },
    job: ({ body }) => ({ model: 'm', prompt: body.imageId }),
    reply,
  })
  const operations = { more, create, get: poll({ route: 'GET /acme/jobs/{id}', reply }) }
  const states = { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' }
  const api = defineApi({ name: 'acme', states, error: ({ message }) => message, operations })
  expect((await tryApis([api])).untried).toEqual([])
})
