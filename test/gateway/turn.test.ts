import { expect, it } from 'vitest'
import { defineApi, poll, submit as createTask, z } from '../../src/apis/own/index.ts'
import { createSimulator, type EmbeddedOptions, type EmbeddedSimulator } from '../../src/index.ts'

const open = (options: EmbeddedOptions = {}): EmbeddedSimulator =>
  createSimulator({ cacheDir: false, clock: { mode: 'manual', start: 0 }, ...options })

function send(
  sim: EmbeddedSimulator,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return sim.fetch(`http://gateway.test${path}`, {
    method,
    headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

const video = { model: 'video-1', prompt: 'a kite', size: '128x96', duration: 1 }

async function submit(sim: EmbeddedSimulator, headers: Record<string, string> = {}): Promise<string> {
  const response = await send(sim, 'POST', '/v1/video/generations', video, headers)
  return ((await response.json()) as { task_id: string }).task_id
}

it.each([
  ['key', [200, 429, 200]],
  ['namespace', [200, 429, 429]],
] as const)('counts the open tasks of each %s', async (per, statuses) => {
  await using sim = open({ throttles: [{ match: { op: 'video.submit' }, concurrent: 1, per }] })
  const found: number[] = []
  for (const key of ['sk-a', 'sk-a', 'sk-b']) {
    const authorization = `Bearer ${key}`
    found.push((await send(sim, 'POST', '/v1/video/generations', video, { authorization })).status)
  }
  expect(found).toEqual(statuses)
})

it('fills every template of a response from the request and its task', async () => {
  const names = [
    'task.id',
    'task.nth',
    'task.model',
    'task.prompt',
    'task.state',
    'task.progress',
    'model',
    'prompt',
    'operation',
    'namespace',
    'attempt',
    'now',
    'now.seconds',
    'now.ms',
    'request.id',
    'request.method',
    'request.path',
    'body.model',
    'body.none',
    'headers.X-Own',
    'headers.none',
    'query.page',
    'query.none',
    'vars.greeting',
    'vars.none',
  ]
  const body = Object.fromEntries(names.map((name) => [name, `\${${name}}`]))
  await using sim = open({
    rules: [
      { match: { op: 'video.poll' }, on: 1, set: { greeting: 'hello' }, respond: { status: 503 } },
      { match: { op: 'video.poll' }, respond: { status: 200, body, headers: { 'x-note': 'at ${now.ms}' } } },
    ],
  })
  const id = await submit(sim)
  await sim.clock.advance(1_500)
  await send(sim, 'GET', `/v1/video/generations/${id}`)
  const response = await send(sim, 'GET', `/v1/video/generations/${id}?page=2`, undefined, { 'x-own': 'a' })
  expect(response.headers.get('x-note')).toBe('at 1500')
  expect(await response.json()).toEqual({
    'task.id': id,
    'task.nth': 1,
    'task.model': 'video-1',
    'task.prompt': 'a kite',
    'task.state': expect.any(String),
    'task.progress': expect.any(Number),
    model: 'video-1',
    prompt: 'a kite',
    operation: 'video.poll',
    namespace: 'default',
    attempt: 2,
    now: '1970-01-01T00:00:01.500Z',
    'now.seconds': 1,
    'now.ms': 1_500,
    'request.id': response.headers.get('x-request-id'),
    'request.method': 'GET',
    'request.path': `/v1/video/generations/${id}`,
    'body.model': 'video-1',
    'body.none': null,
    'headers.X-Own': 'a',
    'headers.none': null,
    'query.page': '2',
    'query.none': null,
    'vars.greeting': 'hello',
    'vars.none': null,
  })
})

it('returns the id of an earlier task if a rule wants it, and says so if there is none', async () => {
  await using sim = open({
    rules: [
      { match: { op: 'video.submit' }, on: 2, task: { sameIdAs: 1 } },
      { match: { op: 'video.submit' }, on: 3, task: { sameIdAs: 9 } },
    ],
  })
  const first = await submit(sim)
  expect(await submit(sim)).toBe(first)
  const response = await send(sim, 'POST', '/v1/video/generations', video)
  expect(response.headers.get('x-greenroom-hint')).toBe(
    'A rule wants the ID of video 9, which does not exist yet: this task has its own.',
  )
  expect(((await response.json()) as { task_id: string }).task_id).not.toBe(first)
})

it('says of a task that is not found in which namespace it looked', async () => {
  await using sim = open()
  const response = await send(sim, 'GET', '/v1/video/generations/task_none')
  expect([response.status, response.headers.get('x-greenroom-hint')]).toEqual([
    400,
    'There is no such task in namespace "default". Check the id, the path, and that the key is that of the submission.',
  ])
  expect(sim.journal().at(-1)).toMatchObject({ task: null, operation: 'video.poll', authorized: true })
})

it('refuses a model that the key may not use, and quotes at most two hundred characters of it', async () => {
  await using sim = open({ keys: [{ key: 'sk-test', models: ['text-*'] }] })
  const refusalOf = async (model: string): Promise<[number, string]> => {
    const response = await send(sim, 'POST', '/v1/video/generations', { ...video, model })
    const { error } = (await response.json()) as { error: { message: string } }
    return [response.status, error.message.replace(/ \(request id.*/, '')]
  }
  expect(await refusalOf('video-1')).toEqual([403, 'This token has no access to model video-1'])
  expect(await refusalOf('v'.repeat(201))).toEqual([
    403,
    `This token has no access to model ${'v'.repeat(200)}`,
  ])
})

it('adds the delay of a rule, and the headers of a rate', async () => {
  await using sim = open({
    throttles: [{ match: { op: 'models.list' }, rate: { requests: 5, per: '1m', headers: true } }],
    rules: [{ match: { op: 'models.list' }, delay: '2s', respond: { headers: { 'x-own': 'a' } } }],
  })
  const response = send(sim, 'GET', '/v1/models')
  await expect.poll(() => sim.clock.status().waiting).toEqual(['a delayed answer (#1) until 00:00:02'])
  await sim.clock.advance(2_000)
  const { headers } = await response
  expect([headers.get('x-own'), headers.get('x-ratelimit-limit-requests')]).toEqual(['a', '5'])
  expect(sim.journal()[0]).toMatchObject({ delayMs: 2_000, firstByteAt: 2_000, settledAt: 2_000 })
})

it('lists every field of an exchange in the journal', async () => {
  await using sim = open({ keys: [{ key: 'sk-test', namespace: 'mine' }] })
  const response = await send(sim, 'POST', '/v1/video/generations', { ...video, prompt: 'k'.repeat(201) })
  const { task_id: task } = (await response.json()) as { task_id: string }
  const [entry] = sim.namespace('mine').journal()
  expect(entry).toMatchObject({
    number: 1,
    at: 0,
    transport: 'direct',
    operation: 'video.submit',
    role: 'submit',
    kind: 'video',
    method: 'POST',
    path: '/v1/video/generations',
    namespace: 'mine',
    key: 'sk-…',
    keyHash: expect.stringMatching(/^\w{12}$/),
    requestId: response.headers.get('x-request-id'),
    task,
    status: 200,
    rules: [],
    delayMs: 0,
    quota: 40_000,
    model: 'video-1',
    prompt: 'k'.repeat(200),
    hint: null,
    outcome: 'completed',
    authorized: true,
    parent: null,
    final: false,
    retryAfterMs: null,
    assumed: false,
    timing: 'assumed',
    fault: null,
    content: 'complete',
    settledBefore: 2,
  })
  expect(entry!.reasons()).toEqual([])
})

it('counts the attempts of a request, and of each task apart', async () => {
  await using sim = open({
    rules: [{ match: { op: '*' }, respond: { headers: { 'x-attempt': '${attempt}' } } }],
  })
  const id = await submit(sim)
  const attemptOf = async (path: string): Promise<string | null> =>
    (await send(sim, 'GET', path)).headers.get('x-attempt')
  const paths = [`/v1/video/generations/${id}`, '/v1/models', `/v1/video/generations/${id}`, '/v1/models']
  const found: (string | null)[] = []
  for (const path of paths) found.push(await attemptOf(path))
  expect(found).toEqual(['1', '1', '2', '2'])
})

it('puts no slash of the public URL in front of links', async () => {
  await using sim = open({ publicUrl: 'https://public.example//' })
  const id = await submit(sim)
  await sim.clock.advance('10m')
  const response = await send(sim, 'GET', `/ns/default/v1/video/generations/${id}`)
  const { data } = (await response.json()) as { data: { result_url: string } }
  expect(data.result_url).toMatch(/^https:\/\/public\.example\/ns\/default\/v1\//)
})

it('gives a preflight a request id, and no entry in the journal', async () => {
  await using sim = open()
  const preflight = await send(sim, 'OPTIONS', '/v1/models')
  expect(preflight.headers.get('x-oneapi-request-id')).toMatch(/^19700101\w+$/)
  const other = await send(sim, 'OPTIONS', '/v1/other')
  expect(other.headers.get('x-oneapi-request-id')).not.toBe(preflight.headers.get('x-oneapi-request-id'))
  expect(sim.journal()).toEqual([])
})

it('tells requests apart by every name in their path', async () => {
  await using sim = open()
  const body = { contents: [{ parts: [{ text: 'hi' }] }] }
  for (const path of [
    '/v1beta/models/a:countTokens',
    '/v1beta/models/b:countTokens',
    '/v1beta/models/a:countTokens',
  ])
    await send(sim, 'POST', path, body)
  const [one, two, three] = sim.journal().map(({ identity }) => identity)
  expect([one === two, one === three]).toEqual([false, true])
})

it('refuses a request whose namespace would be one too many, and serves those that exist', async () => {
  await using sim = open({ limits: { namespaces: 1 } })
  await submit(sim)
  const refused = await send(sim, 'GET', '/v1/models', undefined, { 'x-greenroom-namespace': 'other' })
  expect([refused.status, await refused.json()]).toEqual([
    503,
    {
      error: {
        code: 'system_memory_overloaded',
        message: expect.stringContaining('1 namespaces are in use.') as unknown,
        type: 'new_api_error',
      },
    },
  ])
  expect(sim.journal().at(-1)).toMatchObject({ namespace: 'default', status: 503 })
  expect((await send(sim, 'GET', '/v1/models')).status).toBe(200)
})

it('tells requests apart whose paths only join to the same text', async () => {
  const create = createTask({
    route: 'POST /acme/{owner}/{name}/jobs',
    body: z.object({}),
    job: () => ({ model: 'acme-1', prompt: 'a kite' }),
    reply: ({ id }) => ({ id }),
  })
  const get = poll({ route: 'GET /acme/jobs/{id}', reply: ({ status }) => status })
  const states = { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken' }
  const error = ({ message }: { message: string }): object => ({ message })
  const apis = [defineApi({ name: 'acme', states, operations: { create, get }, error })]
  await using sim = open({ apis })
  for (const path of ['a/bc', 'ab/c', 'a/bc']) await send(sim, 'POST', `/acme/${path}/jobs`, {})
  const [one, two, three] = sim.journal().map(({ identity, status }) => `${identity} ${status}`)
  expect([one === two, one === three]).toEqual([false, true])
  expect(one).toMatch(/ 200$/)
})

it('assumes the wait of Retry-After for one retry only', async () => {
  await using sim = open({
    clock: { mode: 'auto', start: 0, assume: ['retry-after'] },
    rules: [{ match: { op: 'models.list' }, on: 1, respond: { status: 429, retryAfter: '5s' } }],
  })
  for (let request = 0; request < 3; request++) await send(sim, 'GET', '/v1/models')
  expect(sim.journal().map(({ at, assumed }) => [at, assumed])).toEqual([
    [0, false],
    [5_000, true],
    [5_000, false],
  ])
})
