import { expect, it } from 'vitest'
import { confirm, poll, refusal, submit, z, type Job } from '../../../src/apis/own/index.ts'
import { acme, call, simulatorOf } from './acme.ts'

const { queue, work, success, failure } = acme.states
const lifecycle = {
  initial: queue,
  states: {
    [queue]: { after: '1s', to: work },
    review: { on: 'acme.approve', timeout: '5m', expires: failure, expiryReason: 'not approved', to: work },
    [work]: { after: '10s', progress: [0, 20, 60], to: { [success]: 1, [failure]: 0 } },
    [success]: { final: true },
    [failure]: { final: true },
  },
} as const

const body = z.object({ text: z.string(), careful: z.boolean().optional(), fails: z.string().optional() })
const record = ({ id, status, prompt, progress, reason }: Job) => ({ id, status, prompt, progress, reason })

const operations = {
  create: submit({
    route: 'POST /acme/jobs',
    body,
    job: ({ body: { text, careful, fails } }) => ({
      model: 'acme-1',
      prompt: text,
      fails,
      ...(careful && { begins: 'review' }),
    }),
    reply: record,
  }),
  approve: confirm({
    route: 'POST /acme/approvals',
    ofJob: true,
    id: ({ body: sent }) => sent['job'],
    body: z.object({ job: z.string(), text: z.string().optional() }),
    job: ({ body: { text }, parent }) =>
      text === 'nonsense' ? refusal('No nonsense') : { model: 'acme-1', prompt: text ?? parent!.prompt },
    reply: record,
  }),
  once: submit({
    route: 'POST /acme/jobs/{id}/upscale',
    ofJob: true,
    body: z.object({}),
    job: ({ parent }) => ({ model: 'acme-1', prompt: 'larger', once: `${parent!.id}/upscale` }),
    reply: ({ id }, { isOld = false }) => ({ id, isOld }),
  }),
  get: poll({ route: 'GET /acme/jobs/{id}', reply: record }),
}
const manual = { clock: { mode: 'manual' } } as const

async function open() {
  const sim = simulatorOf({ operations, lifecycle }, manual)
  const ask = async (path: string, sent?: object): Promise<Record<string, unknown>> => {
    const { text } = await call(sim, sent ? 'POST' : 'GET', `/acme/${path}`, sent && { body: sent })
    return JSON.parse(text) as Record<string, unknown>
  }
  return { sim, ask, [Symbol.asyncDispose]: () => sim.close() }
}

it('lets a job wait for a request that names it in its body, and go on with what the request says', async () => {
  await using gateway = await open()
  const { ask, sim } = gateway
  const made = await ask('jobs', { text: 'a red kite', careful: true })
  await sim.clock.advance('1m')
  expect(await ask(`jobs/${String(made['id'])}`)).toMatchObject({ status: 'review', prompt: 'a red kite' })
  await ask('approvals', { job: made['id'], text: 'a blue kite' })
  await sim.clock.advance('5s')
  expect(await ask(`jobs/${String(made['id'])}`)).toMatchObject({
    status: work,
    prompt: 'a blue kite',
    progress: 20,
  })
  await sim.clock.advance('5s')
  expect(await ask(`jobs/${String(made['id'])}`)).toMatchObject({ status: success })
})

it('refuses a confirmation of an unknown job, of one that does not wait, and in the words of the definition', async () => {
  await using gateway = await open()
  const { ask } = gateway
  const { id } = await ask('jobs', { text: 'a red kite' })
  const waiting = await ask('jobs', { text: 'a red kite', careful: true })
  const refused = [
    await call(gateway.sim, 'POST', '/acme/approvals', { body: { job: 'none' } }),
    await call(gateway.sim, 'POST', '/acme/approvals', { body: { job: id } }),
    await call(gateway.sim, 'POST', '/acme/approvals', { body: { job: waiting['id'], text: 'nonsense' } }),
  ].map(({ status, text }) => [status, text])
  expect(refused).toEqual([
    [404, expect.stringContaining('oops')],
    [409, `{"oops":"The job is ${queue}"}`],
    [422, '{"oops":"No nonsense"}'],
  ])
})

it('fails a job that no request confirms in time, and one that the definition lets fail', async () => {
  await using gateway = await open()
  const { ask, sim } = gateway
  const waiting = await ask('jobs', { text: 'a red kite', careful: true })
  const failing = await ask('jobs', { text: 'a red kite', fails: 'no words' })
  await sim.clock.advance('6m')
  expect(await ask(`jobs/${String(waiting['id'])}`)).toMatchObject({
    status: failure,
    reason: 'not approved',
  })
  expect(await ask(`jobs/${String(failing['id'])}`)).toMatchObject({ status: failure, reason: 'no words' })
})

it('answers with the job that exists of what is made once', async () => {
  await using gateway = await open()
  const { ask, sim } = gateway
  const { id } = await ask('jobs', { text: 'a red kite' })
  const first = await ask(`jobs/${String(id)}/upscale`, {})
  const second = await ask(`jobs/${String(id)}/upscale`, {})
  expect([first['isOld'], second]).toEqual([false, { ...first, isOld: true }])
  expect(sim.tasks()).toHaveLength(2)
})
