import { describe, expect, it } from 'vitest'
import { createSimulator, type EmbeddedSimulator, type Rule } from '../../src/index.ts'
import { answer, cancel, defineApi, poll, result, submit, z } from '../../src/apis/own/index.ts'

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

async function call(sim: EmbeddedSimulator, method: string, path: string, body?: object): Promise<string> {
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return (await sim.fetch(`http://gateway.example${path}`, init)).text()
}

async function submitVideo(sim: EmbeddedSimulator, prompt = 'a kite [[render 20s]]'): Promise<string> {
  const text = await call(sim, 'POST', '/v1/video/generations', { model: 'video-1', prompt })
  return (JSON.parse(text) as { task_id: string }).task_id
}

const pollVideo = (sim: EmbeddedSimulator, id: string): Promise<string> =>
  call(sim, 'GET', `/v1/video/generations/${id}`)

/** Whether the client is accused of leaving a task. */
async function isAccused(sim: EmbeddedSimulator): Promise<boolean> {
  const error: unknown = await sim.expectNoAbandonedTasks().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error !== undefined
}

describe('a client that could read the end of its task', () => {
  const body = (status: string): NonNullable<Rule['respond']> => ({
    body: { code: 'success', data: { status } },
  })

  it.each<[string, Omit<Rule, 'match'>]>([
    ['in a scripted body', { respond: body('FAILURE') }],
    ['in other words', { respond: { set: { 'data.status': 'succeeded' } } }],
    ['in a flag', { respond: { body: { name: 'operations/1', done: true } } }],
    ['in a scripted error', { respond: { status: 410, body: { task_status: 'expired' } } }],
    ['in a response with the wrong type', { fault: 'wrong-type' }],
    ['in a stale response', { fault: { type: 'stale', by: '1s' } }],
    ['in a refusal that says that it is gone', { respond: { status: 404 } }],
  ])('%s: did not leave it', async (_name, effect) => {
    await using sim = createSimulator({ clock: { mode: 'manual' } })
    const id = await submitVideo(sim)
    await sim.clock.advance('10m')
    sim.next('video.poll', effect)
    await pollVideo(sim, id)
    expect(await isAccused(sim)).toBe(false)
  })

  it.each<[string, Omit<Rule, 'match'>]>([
    ['a scripted body with another state', { respond: body('IN_PROGRESS') }],
    ['an envelope that says success', { respond: { body: { code: 'success', status: 'ok', data: null } } }],
    ['a stale response from before the end', { fault: { type: 'stale', by: '9m50s' } }],
    ['a refusal with the status 200', { respond: { status: 200, error: { code: 'busy' } } }],
    ['half of it', { fault: 'invalid-json' }],
    ['a refused poll', { respond: { status: 429 } }],
  ])('did not read it in %s', async (_name, effect) => {
    await using sim = createSimulator({ clock: { mode: 'manual' } })
    const id = await submitVideo(sim)
    await sim.clock.advance('10m')
    sim.next('video.poll', effect)
    await pollVideo(sim, id)
    expect(await isAccused(sim)).toBe(true)
  })
})

describe('an API of a user', () => {
  const acme = defineApi({
    name: 'acme',
    states: { queue: 'WAIT', work: 'RUN', success: 'OK', failure: 'BAD', cancelled: 'GONE' },
    error: ({ message }) => ({ message }),
    operations: {
      make: submit({
        route: 'POST /acme/jobs',
        body: z.looseObject({}),
        job: () => ({ model: 'acme-1', prompt: 'a kite' }),
        reply: ({ id }) => ({ id }),
      }),
      get: poll({ route: 'GET /acme/jobs/{id}', reply: ({ status }) => ({ status }) }),
      output: result({
        route: 'GET /acme/jobs/{id}/output',
        reply: (job) => (job.hasSucceeded ? { video: job.url } : answer(409, {})),
      }),
      end: cancel({
        route: 'DELETE /acme/jobs/{id}',
        reply: (job, { hasEnded }) => (hasEnded ? answer(409, { state: job.status }) : answer(204)),
      }),
    },
  })

  it.each([
    ['DELETE', '', false],
    ['GET', '/output', false],
    ['GET', '', false],
  ])('tells the end by %s %s', async (method, path, accused) => {
    await using sim = createSimulator({ apis: [acme], clock: { mode: 'manual' } })
    const { id } = JSON.parse(await call(sim, 'POST', '/acme/jobs', {})) as { id: string }
    await sim.clock.advance('10m')
    await call(sim, method, `/acme/jobs/${id}${path}`)
    expect(await isAccused(sim)).toBe(accused)
  })
})

describe('a client that gives up', () => {
  const pollFor = async (sim: EmbeddedSimulator, id: string, seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at += 10) {
      await sim.clock.advance('10s')
      await pollVideo(sim, id)
    }
  }
  const stuck: Rule = { match: { op: 'video.submit' }, on: 1, task: { queued: 'forever' } }
  const hidden: Rule = {
    match: { op: 'video.poll' },
    respond: { set: { 'data.status': 'IN_PROGRESS' }, omit: ['data.data'] },
  }

  it.each([
    ['a task that never ends, after two minutes', stuck, 120, false],
    ['a task that never ends, after half a minute', stuck, 30, true],
    ['a task that never seems to end, after three times its time', hidden, 70, false],
    ['a task that never seems to end, soon after its end', hidden, 30, true],
  ])('%s', async (_name, rule, seconds, accused) => {
    await using sim = createSimulator({ clock: { mode: 'manual' }, rules: [rule] })
    await pollFor(sim, await submitVideo(sim, 'a kite [[queued 0s]] [[render 20s]]'), seconds)
    expect(await isAccused(sim)).toBe(accused)
  })

  it('a stuck task after three times the time of another is right', async () => {
    await using sim = createSimulator({ clock: { mode: 'manual' }, rules: [stuck] })
    const first = await submitVideo(sim)
    const other = await submitVideo(sim, 'a boat [[queued 0s]] [[render 20s]]')
    await pollFor(sim, first, 70)
    await pollVideo(sim, other)
    expect(await isAccused(sim)).toBe(false)
  })

  it('a task that takes a quarter of an hour, after ten minutes, leaves it', async () => {
    await using sim = createSimulator({ clock: { mode: 'manual' } })
    await pollFor(sim, await submitVideo(sim, 'a kite [[render 15m]]'), 600)
    expect(await isAccused(sim)).toBe(true)
  })
})

describe('poll-interval', () => {
  it.each<[string, Omit<Rule, 'match'>, string]>([
    ['a refusal with the status 200', { respond: { status: 200, error: { code: '1303' } } }, 'pass'],
    ['a body that tells no state', { respond: { body: { code: 1303, message: 'slow down' } } }, 'pass'],
    ['a body that tells a state', { respond: { body: { data: { status: 'queued' } } } }, 'fail'],
  ])('after %s', async (_name, effect, verdict) => {
    await using sim = createSimulator()
    const id = await submitVideo(sim)
    const run = sim.watch({ always: [{ name: 'poll-interval', min: '5s' }] })
    await pollVideo(sim, id)
    await sim.clock.sleep(6_000)
    sim.next('video.poll', effect)
    await pollVideo(sim, id)
    await sim.clock.sleep(1_000)
    await pollVideo(sim, id)
    const { invariants } = await run.verdict()
    expect(invariants.find(({ name }) => name === 'poll-interval')).toMatchObject({ verdict })
  })
})
