import { expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator } from '../../src/index.ts'

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

async function post(sim: EmbeddedSimulator, path: string, fields: object): Promise<Response> {
  return sim.fetch(`https://gateway.example${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(fields),
  })
}

const submit = async (sim: EmbeddedSimulator, prompt: string): Promise<Response> =>
  post(sim, '/v1/video/generations', { model: 'video-1', prompt, size: '128x96', duration: 1 })

it('fills the templates of variables with what the response made', async () => {
  await using sim = createSimulator({
    rules: [
      { match: { op: 'video.submit' }, on: 1, set: { first: '${task.id}', why: 'for ${prompt}' } },
      {
        match: { op: 'video.submit' },
        on: 2,
        respond: { status: 200, body: { task_id: '${vars.first}', why: '${vars.why}' } },
      },
    ],
  })
  const { task_id: id } = (await (await submit(sim, 'a red kite')).json()) as { task_id: string }
  expect(await (await submit(sim, 'a blue kite')).json()).toEqual({ task_id: id, why: 'for a red kite' })
})

it('sets variables also when the operation refuses the request', async () => {
  await using sim = createSimulator({
    rules: [
      { match: { op: 'video.content' }, set: { early: '${task.id}' } },
      {
        match: { op: 'video.submit' },
        on: 2,
        respond: { status: 409, headers: { 'x-early': '${vars.early}' } },
      },
    ],
  })
  const { task_id: id } = (await (await submit(sim, 'a red kite')).json()) as { task_id: string }
  const content = await sim.fetch(`https://gateway.example/v1/videos/${id}/content`, { headers })
  expect(content.status).toBeGreaterThanOrEqual(400)
  expect((await submit(sim, 'a blue kite')).headers.get('x-early')).toBe(id)
})

it.each([
  ['set', { set: { first: '${task.idd}' } }, '${task.id}'],
  ['when', { when: { vars: { first: '${task.id}' } }, delay: '1s' }, 'nothing fills ${task.id} here'],
  ['a reason', { task: { outcome: 'failure', reason: 'no ${prompt}' } }, 'nothing fills ${prompt} here'],
  ['a message', { respond: { status: 500, error: { message: '${now}' } } }, 'nothing fills ${now} here'],
] as const)('refuses a template that nothing fills in %s', (_where, rule, message) => {
  expect(() => createSimulator({ rules: [{ match: { op: 'video.submit' }, ...rule }] })).toThrow(message)
})

it('takes braces that name no template as they are', () => {
  const task = { outcome: 'failure', reason: 'missing ${HOME}' } as const
  expect(() => createSimulator({ rules: [{ match: { op: 'video.submit' }, task }] })).not.toThrow()
})

it('changes a limit in the middle of a run', async () => {
  await using sim = createSimulator({
    clock: { mode: 'manual' },
    rules: [{ match: { op: 'video.submit' }, on: 3, set: { mode: 'degraded' } }],
    throttles: [
      {
        match: { op: 'video.submit' },
        when: { vars: { mode: 'degraded' } },
        bucket: { capacity: 1, refill: '1/1h' },
      },
      { match: { op: 'models.list' }, when: { clock: '10s..20s' }, rate: { requests: 1 } },
    ],
  })
  const statuses: number[] = []
  for (let turn = 0; turn < 5; turn++) statuses.push((await submit(sim, `kite ${turn}`)).status)
  expect(statuses).toEqual([200, 200, 200, 200, 429])
  const list = async (): Promise<number> =>
    (await sim.fetch('https://gateway.example/v1/models', { headers })).status
  expect([await list(), await list()]).toEqual([200, 200])
  await sim.clock.advance('10s')
  expect([await list(), await list()]).toEqual([200, 429])
  await sim.clock.advance('10s')
  expect(await list()).toBe(200)
})

it('refuses when on workers', () => {
  const throttles = [{ match: { op: 'video.submit' }, workers: 1, when: { clock: '1s..' } }] as const
  expect(() => createSimulator({ throttles })).toThrow('workers have no `when`')
})

it.each([
  ['/v1/video/generations', { model: 'video-1', size: '128x96', duration: 1 }],
  ['/v1/videos', { model: 'video-1', size: '128x96', seconds: '1' }],
  ['/mj/submit/imagine', {}],
] as const)('returns the ID of the first task for a second one at %s', async (path, fields) => {
  await using sim = createSimulator({ rules: [{ match: { op: '*' }, on: 2, task: { sameIdAs: 1 } }] })
  const idOf = async (prompt: string): Promise<unknown> => {
    const body = (await (await post(sim, path, { ...fields, prompt })).json()) as Record<string, unknown>
    return body['task_id'] ?? body['id'] ?? body['result']
  }
  const first = await idOf('a red kite')
  expect(first).toMatch(/\w{8,}/)
  expect(await idOf('a blue kite')).toBe(first)
  const tasks = sim.tasks()
  expect(tasks).toHaveLength(2)
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(2)
  expect(await idOf('a green kite')).not.toBe(first)
})

it('says that the task of a number does not exist', async () => {
  await using sim = createSimulator({ rules: [{ match: { op: 'video.submit' }, task: { sameIdAs: 5 } }] })
  const response = await submit(sim, 'a red kite')
  expect(response.headers.get('x-greenroom-hint')).toContain('video 5, which does not exist yet')
})
