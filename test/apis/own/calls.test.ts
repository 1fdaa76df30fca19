import { expect, it } from 'vitest'
import { answer, call, refusal, z } from '../../../src/apis/own/index.ts'
import { acme, call as send, makeJob, simulatorOf } from './acme.ts'

const upload = call({
  route: 'POST /acme/files',
  status: 201,
  body: z.object({ name: z.string().min(1) }),
  reply: ({ body }) => ({ file: `file-${body.name}` }),
})
const me = call({ route: 'GET /acme/me', reply: ({ query }) => ({ page: query.get('page') }) })
const operations = { ...acme.operations, upload, me }

it('answers an operation without a job', async () => {
  await using sim = simulatorOf({ operations })
  expect(await send(sim, 'POST', '/acme/files', { body: { name: 'a' } })).toMatchObject({
    status: 201,
    text: '{"file":"file-a"}',
  })
  expect((await send(sim, 'GET', '/acme/me?page=2')).text).toBe('{"page":"2"}')
  expect(sim.tasks()).toEqual([])
})

it('refuses a body of it that does not fit, and a request without a key', async () => {
  await using sim = simulatorOf({ operations })
  const { status, text } = await send(sim, 'POST', '/acme/files', { body: {} })
  expect([status, text]).toEqual([422, expect.stringContaining('{"oops":"name: ')])
  expect(await send(sim, 'GET', '/acme/me', { headers: {} })).toMatchObject({ status: 401 })
})

it('lets rules, expectations and the journal see its requests', async () => {
  await using sim = simulatorOf({ operations })
  sim.next('acme.upload' as never, { respond: { status: 503 } })
  const statuses = [
    await send(sim, 'POST', '/acme/files', { body: { name: 'a' } }),
    await send(sim, 'POST', '/acme/files', { body: { name: 'a' } }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([503, 201])
  await send(sim, 'GET', '/acme/me')
  expect(sim.journal()).toMatchObject([
    { operation: 'acme.upload', role: 'change', kind: null, task: null },
    { operation: 'acme.upload' },
    { operation: 'acme.me', role: 'read' },
  ])
})

it('checks every request of an API before its job and its body, with the time of the virtual clock', async () => {
  const expires = Date.parse('2026-01-01T00:01:00Z')
  await using sim = simulatorOf(
    {
      operations,
      before: ({ header, now }) =>
        header('x-version') === ''
          ? answer(400, { error: 'no version' })
          : now >= expires
            ? refusal('The key has expired')
            : undefined,
    },
    { clock: { mode: 'manual', start: '2026-01-01T00:00:00Z' } },
  )
  const headers = { authorization: 'Bearer sk-a', 'x-version': '2' }
  for (const [method, path] of [
    ['POST', '/acme/jobs'],
    ['GET', '/acme/jobs/none'],
    ['POST', '/acme/files'],
  ] as const)
    expect(await send(sim, method, path, method === 'POST' ? { body: {} } : {})).toMatchObject({
      status: 400,
      text: '{"error":"no version"}',
    })
  expect(await send(sim, 'GET', '/acme/jobs/none', { headers })).toMatchObject({ status: 404 })
  await sim.clock.advance('2m')
  expect(await send(sim, 'GET', '/acme/me', { headers })).toMatchObject({
    status: 422,
    text: '{"oops":"The key has expired"}',
  })
})

it('downloads without what `before` asks for, since such links need no key', async () => {
  let isChecked = false
  await using sim = simulatorOf({ before: () => (isChecked ? answer(400, {}) : undefined) })
  const id = await makeJob(sim)
  await sim.clock.advance('5m')
  const { text } = await send(sim, 'GET', `/acme/jobs/${id}`)
  isChecked = true
  const { url } = JSON.parse(text) as { url: string }
  expect((await sim.fetch(url)).status).toBe(200)
})

it('says what is wrong with the result of `before`', async () => {
  await using sim = simulatorOf({ before: () => true as never }, { onWarning: () => {} })
  const { status, text } = await send(sim, 'GET', '/acme/jobs/1')
  expect([status, text]).toEqual([
    500,
    expect.stringContaining('acme.get failed in before: it returns true. Return an answer, or undefined'),
  ])
})

it('refuses in a plain envelope without `error`', async () => {
  const { error: _, ...rest } = acme
  await using sim = simulatorOf({ ...rest, error: undefined as never })
  expect((await send(sim, 'POST', '/acme/jobs', { body: {} })).text).toMatch(/^\{"error":\{"message":"text: /)
})

it('sends no headers of the gateway', async () => {
  await using sim = simulatorOf({ operations })
  const { headers } = await sim.fetch('/acme/me', { headers: { authorization: 'Bearer sk-a' } })
  expect([...headers.keys()].filter((name) => /oneapi|new-api/.test(name))).toEqual([])
})
