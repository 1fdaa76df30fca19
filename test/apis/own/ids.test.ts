import { expect, it } from 'vitest'
import {
  answer,
  call,
  cancel,
  defineApi,
  download,
  poll,
  remove,
  submit,
  z,
  type Job,
} from '../../../src/apis/own/index.ts'
import { createSimulator } from '../../../src/index.ts'
import { describeTransports } from '../../support/transports.ts'
import { acme, call as send, create, get, makeJob, simulatorOf } from './acme.ts'

const state = ({ id, status }: Job) => ({ id, status })
const key = { authorization: 'Bearer sk-a' }

it('finds several jobs by a function of the query, in the order of the request', async () => {
  const feed = poll({
    route: 'GET /acme/feed',
    id: ({ query }) => query.get('ids')?.split(','),
    reply: (_job, { jobs }) => jobs.map(state),
  })
  await using sim = simulatorOf({ operations: { create, get, feed } })
  const first = await makeJob(sim, 'one')
  const second = await makeJob(sim, 'two')
  const { text } = await send(sim, 'GET', `/acme/feed?ids=${second},none,${first}`)
  expect((JSON.parse(text) as { id: string }[]).map(({ id }) => id)).toEqual([second, first])
  expect(await send(sim, 'GET', `/acme/feed?ids=none`)).toMatchObject({ status: 404 })
  expect(await send(sim, 'GET', '/acme/feed')).toMatchObject({ status: 404 })
  expect(sim.journal({ operation: 'acme.feed', task: first })).toMatchObject([
    { task: second, others: [first] },
  ])
})

it('counts a poll of several jobs as a poll of each', async () => {
  const feed = poll({
    route: 'GET /acme/feed',
    id: ({ query }) => query.getAll('id'),
    reply: (_job, { jobs }) => jobs.map(state),
  })
  await using sim = simulatorOf({ operations: { create, feed } })
  const ids = [await makeJob(sim, 'one'), await makeJob(sim, 'two')]
  await sim.clock.advance('5m')
  const { text } = await send(sim, 'GET', `/acme/feed?id=${ids.join('&id=')}`)
  expect(JSON.parse(text)).toEqual(ids.map((id) => ({ id, status: 'ready' })))
  await sim.expectNoAbandonedTasks()
})

it('finds a job by the body of a request, whatever JSON is called', async () => {
  const read = poll({ route: 'POST /acme/read', id: ({ body }) => body['job'], reply: state })
  const stop = cancel({
    route: 'POST /acme/stop',
    id: ({ body }) => body['jobs'],
    reply: (_job, { jobs }) => jobs.map(state),
  })
  await using sim = simulatorOf({ operations: { create, read, stop } })
  const ids = [await makeJob(sim, 'one'), await makeJob(sim, 'two')]
  const headers = { ...key, 'content-type': 'application/x-amz-json-1.0' }
  expect((await send(sim, 'POST', '/acme/read', { body: { job: ids[1] }, headers })).text).toContain(ids[1])
  const { text } = await send(sim, 'POST', '/acme/stop', { body: { jobs: ids } })
  expect((JSON.parse(text) as { status: string }[]).map(({ status }) => status)).toEqual(['broken', 'broken'])
})

it('tells of a function that finds no id', async () => {
  const read = poll({ route: 'GET /acme/read', id: () => ({}), reply: state })
  await using sim = simulatorOf({ operations: { create, read } }, { onWarning: () => {} })
  expect(await send(sim, 'GET', '/acme/read')).toMatchObject({
    status: 500,
    text: expect.stringContaining(
      'acme.read failed in id: it returns {}. Return an id, a list of ids',
    ) as string,
  })
})

it('begins a job from another one that its body names, or from none', async () => {
  const extend = submit({
    route: 'POST /acme/extend',
    body: z.object({ text: z.string(), from: z.string().optional() }),
    ofJob: true,
    id: ({ body }) => body['from'],
    job: ({ body, parent }) => ({ model: 'acme-1', prompt: body.text, like: parent }),
    reply: (job) => ({ from: job.parent ?? null }),
  })
  await using sim = simulatorOf({ operations: { create, get, extend } })
  const from = await makeJob(sim)
  const send2 = (body: object) => send(sim, 'POST', '/acme/extend', { body: { text: 'more', ...body } })
  expect(await send2({ from })).toMatchObject({ status: 200, text: JSON.stringify({ from }) })
  expect(await send2({})).toMatchObject({ status: 200, text: '{"from":null}' })
  expect(await send2({ from: 'none' })).toMatchObject({ status: 404 })
})

const arn = 'arn:aws:bedrock:us-east-1:123456789012:async-invoke/'

describeTransports((open) => {
  it('finds ids that are ARNs in paths, and puts them into links', async () => {
    const show = poll({ route: 'GET /acme/jobs/{id}', reply: ({ id, url }) => ({ id, url }) })
    const definition = { ...acme, id: { prefix: arn, length: 12 }, operations: { create, show } }
    await using gateway = await open({ apis: [defineApi(definition)], cacheDir: false })
    const headers = { ...key, 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'a red kite' })
    const made = await gateway.call('/acme/jobs', { method: 'POST', headers, body })
    const { id } = (await made.json()) as { id: string }
    expect(id).toMatch(/^arn:aws:bedrock:us-east-1:123456789012:async-invoke\/\w{12}$/)
    await gateway.sim.clock.advance('5m')
    const polled = await gateway.call(`/acme/jobs/${encodeURIComponent(id)}`, { headers: key })
    const { url } = (await polled.json()) as { url: string }
    expect((await gateway.fetch(url)).headers.get('content-type')).toBe('video/mp4')
  })
})

it('takes fixed parts of a path percent-encoded, and an ending after an id', async () => {
  const file = download({ route: 'GET /acme/files:all/{id}.mp4' })
  await using sim = simulatorOf({ operations: { create, get, file } })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  expect((await send(sim, 'GET', `/acme/jobs/${id}`)).text).toContain(`/acme/files:all/${id}.mp4`)
  expect(await send(sim, 'GET', `/acme/files%3Aall/${id}.mp4`)).toMatchObject({
    status: 200,
    type: 'video/mp4',
  })
  expect(await send(sim, 'GET', `/acme/files:all/${id}`)).toMatchObject({ status: 404 })
})

const clips = {
  makes: 'image',
  aliases: { clip: 'uuid', file: { prefix: 'file-', length: 20 } },
  operations: {
    create: submit({
      route: 'POST /acme/jobs',
      body: z.object({ text: z.string() }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.text, count: 2 }),
      reply: (job) => ({
        id: job.id,
        clips: [job.alias('clip'), job.alias('clip', 1)],
        file: job.alias('file', 1),
      }),
    }),
    get: poll({ route: 'GET /acme/jobs/{id}', reply: (job, { index }) => ({ id: job.id, index }) }),
    forget: remove({ route: 'DELETE /acme/jobs/{id}', reply: () => answer(204) }),
    content: download({ route: 'GET /acme/files/{id}/content' }),
  },
} as const

it('finds a job and its files by second names, until it is deleted', async () => {
  await using sim = simulatorOf(clips)
  const made = JSON.parse((await send(sim, 'POST', '/acme/jobs', { body: { text: 'a' } })).text) as {
    id: string
    clips: string[]
    file: string
  }
  expect(made.clips[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8/)
  expect(made.file).toMatch(/^file-\w{20}$/)
  expect(new Set([made.id, ...made.clips, made.file]).size).toBe(4)
  expect((await send(sim, 'GET', `/acme/jobs/${made.clips[1]}`)).text).toBe(
    JSON.stringify({ id: made.id, index: 1 }),
  )
  await sim.clock.advance('5m')
  const [first, second] = await Promise.all(
    made.clips.map(async (id) => (await send(sim, 'GET', `/acme/files/${id}/content`)).text),
  )
  expect(second).not.toBe(first)
  expect((await send(sim, 'GET', `/acme/files/${made.file}/content`)).text).toBe(second)
  expect(await send(sim, 'DELETE', `/acme/jobs/${made.file}`)).toMatchObject({ status: 204 })
  for (const id of [made.id, ...made.clips])
    expect(await send(sim, 'GET', `/acme/jobs/${id}`)).toMatchObject({ status: 404 })
})

it('restores second names with a snapshot', async () => {
  await using sim = simulatorOf(clips)
  const made = JSON.parse((await send(sim, 'POST', '/acme/jobs', { body: { text: 'a' } })).text) as {
    file: string
  }
  await using other = simulatorOf(clips)
  other.restore(sim.snapshot())
  expect(await send(other, 'GET', `/acme/jobs/${made.file}`)).toMatchObject({ status: 200 })
})

it('says which second names there are', async () => {
  const get = poll({ route: 'GET /acme/jobs/{id}', reply: (job) => job.alias('clp') })
  await using sim = simulatorOf(
    { aliases: clips.aliases, operations: { create, get } },
    { onWarning: () => {} },
  )
  const { text } = await send(sim, 'GET', `/acme/jobs/${await makeJob(sim)}`)
  expect(text).toContain('aliases has no \\"clp\\". Known are clip, file.')
})

const target = (name: string) => ({ header: { 'X-Amz-Target': `AWSStepFunctions.${name}` } })
const steps = defineApi({
  name: 'steps',
  id: { prefix: 'arn:aws:states:us-east-1:123456789012:execution:flow:', length: 36 },
  contentType: 'application/x-amz-json-1.0',
  states: {
    queue: 'PENDING',
    work: 'RUNNING',
    success: 'SUCCEEDED',
    failure: 'FAILED',
    cancelled: 'ABORTED',
  },
  operations: {
    start: submit({
      route: 'POST /',
      match: target('StartExecution'),
      body: z.object({ stateMachineArn: z.string(), input: z.string().default('{}') }),
      job: ({ body }) => ({ model: body.stateMachineArn, prompt: body.input }),
      reply: (job) => ({ executionArn: job.id }),
    }),
    describe: poll({
      route: 'POST /',
      match: target('DescribeExecution'),
      id: ({ body }) => body['executionArn'],
      reply: (job) => ({ executionArn: job.id, status: job.status }),
    }),
    stop: cancel({
      route: 'POST /',
      match: target('StopExecution'),
      id: ({ body }) => body['executionArn'],
      reply: () => ({}),
    }),
    version: call({ route: 'POST /', match: target('Version'), reply: () => ({ version: 1 }) }),
  },
})

it('serves operations of one route, which a header tells apart', async () => {
  await using sim = createSimulator({ apis: [steps], cacheDir: false })
  const ask = async (name: string, body: object) => {
    const headers = {
      ...key,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `AWSStepFunctions.${name}`,
    }
    const { status, type, text } = await send(sim, 'POST', '/', { body, headers })
    return { status, type, body: JSON.parse(text) as Record<string, unknown> }
  }
  const { body: execution } = await ask('StartExecution', { stateMachineArn: 'arn:m', input: '{"a":1}' })
  expect(await ask('DescribeExecution', execution)).toEqual({
    status: 200,
    type: 'application/x-amz-json-1.0',
    body: { ...execution, status: 'RUNNING' },
  })
  await ask('StopExecution', execution)
  expect((await ask('DescribeExecution', execution)).body).toMatchObject({ status: 'ABORTED' })
  expect((await ask('Version', {})).body).toEqual({ version: 1 })
  expect(await ask('Nothing', {})).toMatchObject({ status: 404 })
  expect(sim.journal().map(({ operation }) => operation)).toEqual([
    'steps.start',
    'steps.describe',
    'steps.stop',
    'steps.describe',
    'steps.version',
    null,
  ])
})

it('tells operations of one route apart by the query, and refuses two with the same values', async () => {
  const match = (Action: string) => ({ query: { Action } })
  const start = { ...create, route: 'POST /acme', match: match('Start') }
  const read = poll({
    route: 'GET POST /acme',
    match: match('Read'),
    id: ({ query }) => query.get('Id'),
    reply: state,
  })
  await using sim = simulatorOf({ operations: { start, read } })
  const { text } = await send(sim, 'POST', '/acme?Action=Start', { body: { text: 'a' } })
  const { id } = JSON.parse(text) as { id: string }
  expect(await send(sim, 'GET', `/acme?Action=Read&Id=${id}`)).toMatchObject({ status: 200 })
  expect(await send(sim, 'GET', '/acme?Action=Raed')).toMatchObject({ status: 404 })
  expect(() => defineApi({ ...acme, operations: { start, read, again: { ...read } } })).toThrow(
    'operations.again has the route of operations.read: GET /acme#Action=Read. Change one of them, or tell them apart by match.',
  )
})

it('gives no advice on the content type of JSON of another name, which it read', async () => {
  await using sim = createSimulator({ apis: [steps], cacheDir: false })
  const headers = {
    ...key,
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'AWSStepFunctions.DescribeExecution',
  }
  const { status } = await send(sim, 'POST', '/', { body: { executionArn: 'arn:none' }, headers })
  expect([status, sim.journal().at(-1)!.hint]).toEqual([404, expect.not.stringContaining('Content-Type')])
})
