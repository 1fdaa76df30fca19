import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { createSimulator as createInPage } from '../../src/browser.ts'
import { controlRoutes, indexRoute } from '../../src/control/control.ts'
import { operations, shippedOperations } from '../../src/apis/index.ts'
import { takesBody } from '../../src/engine/operations/facts.ts'
import { goldenNames, goldenOf } from '../support/golden.ts'
import {
  described,
  document,
  escape,
  findDescribed,
  mistakes,
  operationsWithForm,
  responseMistakes,
} from '../support/openapi.ts'
import { describeTransports, openDirect } from '../support/transports.ts'
import { authorization, getContent, pollVideo, submitVideo } from '../support/video.ts'
import { needs } from '../support/needs.ts'

const routeNames = [indexRoute, ...controlRoutes].map(({ methods, path }) => `${methods[0]} ${path}`)

const nameOf = ({ operation }: (typeof described)[number]): string[] => {
  const { 'x-greenroom-operation': name } = operation
  return name === undefined ? [] : [name]
}

const successOf = ({ operation }: (typeof described)[number]): unknown =>
  operation.responses['200']!['content']

it('describes every operation of the gateway by its table, with schemas', () => {
  for (const name of operations) {
    const facts = shippedOperations.find(name)!
    const { route, access } = facts
    const words = route.split(' ')
    if (!words.at(-1)!.startsWith('/')) continue
    for (const method of words.slice(0, -1)) {
      const found = described.find((each) => each.method === method && each.path === words.at(-1))!
      expect(found.operation['x-greenroom-operation'], route).toBe(name)
      expect(found.operation.requestBody !== undefined, `the body of ${name}`).toBe(takesBody(facts))
      expect(found.operation.security.length === 0, `whether ${name} needs a key`).toBe(access === 'public')
      if (method !== 'HEAD') expect(successOf(found), `the answer of ${name}`).toBeTruthy()
    }
  }
})

it('describes the body of each operation by the form that reads it', () => {
  const withBody = described.filter(({ operation }) => operation.requestBody).flatMap(nameOf)
  expect(withBody.filter((name) => !operationsWithForm.has(name))).toEqual([])
})

it('describes callbacks as webhooks, since the client names their URL', () => {
  needs('mj.imagine')
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/'))).toEqual([])
  expect(Object.keys(document.webhooks)).toEqual(['mj.notify'])
  expect(document.webhooks['mj.notify']!['post']!.requestBody!.content).toHaveProperty('application/json')
})

it('describes every control call, and no other', () => {
  const names = [indexRoute, ...controlRoutes].flatMap(({ methods, path }) =>
    methods.map((method) => `${method} ${path}`),
  )
  const inDocument = described.filter(({ path }) => path.startsWith('/_greenroom'))
  expect(inDocument.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    [...names, 'POST /_greenroom/session'].toSorted(),
  )
  for (const each of inDocument) expect(successOf(each), each.path).toBeTruthy()
})

it('gives each operation an id of its own', () => {
  const ids = described.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

it.each(goldenNames)('describes fixtures/golden/%s', (name) => {
  const { request, response } = goldenOf(name)
  const { status, headers } = response
  const body = typeof response.body === 'string' ? response.body : ''
  const found = findDescribed(request.method, request.path)
  if (!found) {
    expect(status).toBe(404)
    const refusals = Object.keys(document.components.responses).filter((each) => each.endsWith('Refusal'))
    const schemaOf = (refusal: string): string =>
      `#/components/responses/${refusal}/content/${escape('application/json')}/schema`
    expect(refusals.filter((each) => mistakes(schemaOf(each), JSON.parse(body)).length === 0)).not.toEqual([])
    return
  }
  expect(name.startsWith(found.operation['x-greenroom-operation']!) || status === 404).toBe(true)
  expect(responseMistakes(found, { status, contentType: headers['content-type'] ?? '', body })).toEqual([])
  // The back end of drawings refuses with 200 as well.
  const isRefused = /^{"code":(?:3|4|23|24),/.test(body)
  if (status === 200 && !isRefused && typeof request.body === 'object' && found.operation.requestBody)
    expect(
      mistakes(`${found.pointer}/requestBody/content/${escape('application/json')}/schema`, request.body),
    ).toEqual([])
})

it('shows an example of each JSON answer, which fits its schema', () => {
  const examples = described.flatMap(({ pointer, operation }) => {
    const content = operation.responses['200']!['content'] as
      | Record<string, { example?: unknown }>
      | undefined
    const example = content?.['application/json']?.example
    return example === undefined ? [] : [[pointer, example] as const]
  })
  expect(examples.length).toBeGreaterThan(10)
  for (const [pointer, example] of examples)
    expect(
      mistakes(`${pointer}/responses/200/content/${escape('application/json')}/schema`, example),
      pointer,
    ).toEqual([])
})

it('finds a field that no schema has', () => {
  needs('video.submit')
  const { response } = goldenOf('video.submit.accepted.json')
  const found = findDescribed('POST', '/v1/video/generations')!
  const answer = (fields: object): string =>
    JSON.stringify({ ...JSON.parse(String(response.body)), ...fields })
  const check = (fields: object): string[] =>
    responseMistakes(found, { status: 200, contentType: 'application/json', body: answer(fields) })
  expect(check({})).toEqual([])
  expect(check({ more: 1 })).toHaveLength(1)
  expect(check({ progress: '0%' })).toHaveLength(1)
})

it('describes what control calls take and return', async () => {
  await using transport = await openDirect({
    clock: { mode: 'manual', start: '2030-01-01T00:00:00Z' },
    rules: [{ match: { op: 'models.list' }, chance: '50%', respond: { status: 503 } }],
  })
  const called = new Set<string>()
  const call = async (method: string, path: string, body?: unknown): Promise<never> => {
    const found = findDescribed(method, path)!
    called.add(found.operation.operationId)
    const type = typeof body === 'string' ? 'text/plain' : 'application/json'
    if (body !== undefined)
      expect(mistakes(`${found.pointer}/requestBody/content/${escape(type)}/schema`, body), path).toEqual([])
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await transport.call(path, { method, ...(text !== undefined && { body: text }) })
    const contentType = response.headers.get('content-type') ?? ''
    const answered = await response.text()
    expect(response.status, `${method} ${path}: ${answered}`).toBe(200)
    expect(
      responseMistakes(found, { status: 200, contentType, body: answered }),
      `${method} ${path}`,
    ).toEqual([])
    return (contentType.startsWith('application/json') ? JSON.parse(answered) : undefined) as never
  }
  const control = '/_greenroom'
  const [failing, ending, done] = [
    await submitVideo(transport),
    await submitVideo(transport, { prompt: 'two' }),
    await submitVideo(transport, { prompt: 'three' }),
  ]
  await pollVideo(transport, done)
  await transport.call('/v1/models', { headers: { authorization } })
  for (const path of [
    '',
    '/health',
    '/namespaces',
    '/verdict',
    '/clock',
    '/tasks',
    '/usage',
    '/journal',
    '/rules',
  ])
    await call('GET', control + path)
  for (const path of ['/journal/1', '/scenario', '/openapi.json', `/tasks/${done}`])
    await call('GET', control + path)
  await call('POST', `${control}/tasks/${failing}/transition`, { status: 'FAILURE', reason: 'no' })
  await call('POST', `${control}/tasks/${ending}/end`, { status: 'FAILURE', in: '1s' })
  await call('POST', `${control}/clock/advance`, { until: { task: done, status: 'SUCCESS' } })
  await call('GET', `${control}/tasks/${done}/media`)
  await call('GET', `${control}/tasks/${done}/poster?w=64`)
  const waits = ['sleep', 'deadline'].map((kind) =>
    call('POST', `${control}/clock/${kind}`, { for: '5s', as: kind }),
  )
  while (transport.sim.clock.status().waiters < 2) await new Promise(setImmediate)
  await transport.sim.clock.advance('5s')
  await Promise.all(waits)
  const { id: hold } = await call('POST', `${control}/clock/hold`, { as: 'a', for: '5s' })
  await call('PUT', `${control}/clock/hold/${hold}`, { for: '10s' })
  await call('DELETE', `${control}/clock/hold/${hold}`)
  await call('POST', `${control}/clock/join`, { as: 'a' })
  await call('POST', `${control}/clock/leave`, { as: 'a' })
  await call('GET', `${control}/clock/agent`)
  await call('PUT', `${control}/clock`, { mode: 'manual' })
  const { id: rule } = await call('POST', `${control}/rules`, {
    match: { op: 'video.poll' },
    attempts: [429, 'ok'],
  })
  await call('DELETE', `${control}/rules/${rule}`)
  await call('POST', `${control}/next`, { op: 'video.poll', fault: 'reset' })
  await call('POST', `${control}/scenario/check`, 'version: 1')
  await call('POST', `${control}/session`, { token: 'none' })
  const snapshot = await call('GET', `${control}/snapshot`)
  await call('PUT', `${control}/snapshot`, snapshot)
  await call('DELETE', `${control}/journal`)
  await call('DELETE', `${control}/tasks`)
  await call('POST', `${control}/reset`)
  const never = ['control.getEvents', 'control.getJournalByNumberExchange']
  const all = described
    .map(({ operation }) => operation.operationId)
    .filter((id) => id.startsWith('control.'))
  expect(all.filter((id) => !called.has(id)).toSorted()).toEqual(never)
})

it.each(routeNames)('refuses a query parameter that is not described: %s', async (name) => {
  await using transport = await openDirect({ clock: { mode: 'manual' } })
  const [method, path] = name.split(' ') as [string, string]
  const response = await transport.call(`${path}?unknown=1`, { method })
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('Unknown query parameter \\"unknown\\". Known: '),
  ])
})

/** Calls with JSON bodies. Those of rules name the mistakes of a rule. */
const callsWithBody = controlRoutes
  .map((route) => [`${route.methods[0]} ${route.path}`, route.form()] as const)
  .filter(([name, { takesText }]) => !/^GET |^POST \/_greenroom\/(?:rules|next)$/.test(name) && !takesText)

it.each(callsWithBody)('refuses a body field that is not described: %s', async (name, schema) => {
  await using transport = await openDirect({ clock: { mode: 'manual' } })
  const [method, path] = name.split(' ') as [string, string]
  const fields = Object.keys((schema.body as z.ZodMiniObject | undefined)?.shape ?? {})
  const body = JSON.stringify({ ...Object.fromEntries(fields.map((field) => [field, 1])), unknown: 1 })
  const response = await transport.call(path, { method, body })
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining(`Unknown field \\"unknown\\". Known: ${fields.join(', ') || 'none'}.`),
  ])
})

it('describes the messages of the event stream', async () => {
  await using transport = await openDirect({ clock: { mode: 'manual' } })
  await submitVideo(transport)
  const found = findDescribed('GET', '/_greenroom/events')!
  for await (const { event, data } of transport.sim.events()) {
    const body = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    expect(responseMistakes(found, { status: 200, contentType: 'text/event-stream', body })).toEqual([])
    if (event === 'ready') break
  }
})

it('describes the parts of a download, and refusals', async () => {
  await using transport = await openDirect({ clock: { mode: 'manual' } })
  const id = await submitVideo(transport)
  await transport.sim.clock.advanceUntil(id, 'SUCCESS')
  const found = findDescribed('GET', `/v1/videos/${id}/content`)!
  for (const headers of [{ range: 'bytes=0-9' }, { range: 'bytes=999999999-' }] as Record<string, string>[]) {
    const { status, headers: sent } = await getContent(transport, id, { headers })
    const contentType = sent.get('content-type') ?? ''
    expect(responseMistakes(found, { status, contentType, body: '' }), String(status)).toEqual([])
  }
})

describeTransports((open) => {
  it('serves the document', async () => {
    await using transport = await open()
    const response = await transport.call('/_greenroom/openapi.json')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual(document)
  })
})

it('has the paths of a namespace where one is named', async () => {
  await using transport = await openDirect()
  const response = await transport.call('/ns/alice/_greenroom/openapi.json')
  expect(await response.json()).toMatchObject({ servers: [{ url: '/ns/alice' }] })
})

it('needs the control token like other control calls', async () => {
  await using transport = await openDirect({ controlToken: 'a-token-of-sixteen-signs' })
  expect((await transport.call('/_greenroom/openapi.json')).status).toBe(401)
  const headers = { authorization: 'Bearer a-token-of-sixteen-signs' }
  expect((await transport.call('/_greenroom/openapi.json', { headers })).status).toBe(200)
})

it('is not there in a page, and not loaded before it is requested', async () => {
  await using sim = createInPage()
  expect((await sim.fetch('http://gateway.example/_greenroom/openapi.json')).status).toBe(501)
  const dist = (name: string): string => readFileSync(new URL(`../../dist/${name}`, import.meta.url), 'utf8')
  for (const name of ['index.js', 'browser/index.js', 'chunks/shared-012.js'])
    expect(dist(name)).not.toContain('x-greenroom-aliases')
})
