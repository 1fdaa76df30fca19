import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { answer, defineApi, poll, submit, z, type Job, type Refusal } from '../../src/apis/own/index.ts'
import { tryApis } from '../../src/cli/inspect/try-apis.ts'
import { serve } from '../../src/cli/serve/serve.ts'

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
  expect(await tryApis([submitting(image)])).toEqual({
    mistakes: [expect.stringContaining('acme.create threw in reply: Error: boom')],
    untried: [],
  })
})

it('says which submission it can not try, and which field does not fit', async () => {
  expect(await tryApis([submitting(z.string().startsWith('asset_'))])).toEqual({
    mistakes: [],
    untried: [expect.stringMatching(/^acme\.create was not tried, .*: image: Invalid string.*examples/)],
  })
})

it('says which submission refuses the body that it sends', async () => {
  const choosy = submit({
    route: 'POST /acme/jobs',
    body: z.object({ voice: z.string() }),
    job: ({ body }) => (body.voice === 'low' ? { model: 'a', prompt: 'x' } : answer(422, { oops: 'voice' })),
    reply: ({ id }) => id,
  })
  const operations = { create: choosy, get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ id }) => id }) }
  const states = { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' }
  const api = defineApi({ name: 'acme', states, error: ({ message }) => message, operations })
  expect(await tryApis([api])).toEqual({
    mistakes: [],
    untried: [expect.stringMatching(/^acme\.create refuses the body for it with 422, so no job/)],
  })
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
