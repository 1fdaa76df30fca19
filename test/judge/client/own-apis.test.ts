import { expect, it, onTestFinished } from 'vitest'
import { drive, type TaskOutcome } from '../../../src/judge/client/drive.ts'
import { defineApi, poll, result, submit, z, type ApiDefinition } from '../../../src/apis/own/index.ts'
import { loadShipped, shippedNames } from '../../support/own-apis.ts'
import {
  createSimulator,
  type DriveStep,
  type EmbeddedOptions,
  type NodeSimulator,
  type Rule,
} from '../../../src/index.ts'

/** An API whose replies have everything in unusual places. */
const acme = {
  name: 'acme',
  states: { queue: 'waiting', work: 'drawing', success: 'ready', failure: 'broken', cancelled: 'stopped' },
  operations: {
    create: submit({
      route: 'POST /acme/{model}/jobs',
      body: z.object({ kind: z.enum(['clip', 'loop']), scene: z.object({ text: z.string().min(1) }) }),
      job: ({ body }) => ({ model: 'acme-1', prompt: body.scene.text, seconds: 2 }),
      reply: (job) => ({ job: { self: `https://acme.example/jobs/${job.id}/`, name: `jobs/${job.id}` } }),
    }),
    get: poll({
      route: 'GET /acme/job?job={id}',
      reply: (job) => ({ data: [{ state: job.isDone ? 'over' : job.status, why: job.reason }] }),
    }),
    files: result({
      route: 'GET /acme/jobs/{id}/files',
      reply: ({ urls }) => ({ files: urls.map((url) => ({ url })) }),
    }),
  },
} as const satisfies ApiDefinition

async function driveWith(
  flow: string,
  apis: NonNullable<EmbeddedOptions['apis']>,
  rules: readonly Rule[] = [],
): Promise<{ outcome: TaskOutcome; sim: NodeSimulator }> {
  const sim = createSimulator({ apis, rules, clock: 'auto', cacheDir: false, quality: 'fast' })
  onTestFinished(() => sim.close())
  const { sleep, now } = sim.clock
  const context = { fetch: sim.fetch, url: 'https://gateway.example', key: sim.key, sleep, now, apis }
  const [outcome] = await drive({ flow: flow as DriveStep['flow'], prompt: 'a red kite' }, context)
  return { outcome: outcome!, sim }
}

it.each(shippedNames)('makes a job of %s by its definition alone', async (name) => {
  const { outcome, sim } = await driveWith(name, await loadShipped([name]))
  expect(outcome).toMatchObject({ ended: 'succeeded', files: [{ bytes: expect.any(Number) }] })
  expect(sim.tasks()).toHaveLength(1)
  expect(sim.journal()[0]).toMatchObject({ prompt: 'a red kite' })
})

it('finds id, state and links wherever the replies of a definition have them', async () => {
  const { outcome, sim } = await driveWith('acme', [defineApi({ ...acme })])
  expect(outcome).toMatchObject({ ended: 'succeeded', files: [{ bytes: expect.any(Number) }] })
  expect(outcome.tasks).toEqual(sim.tasks().map(({ id }) => id))
  expect(sim.journal().map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['acme.create', 'acme.get', 'acme.files']),
  )
})

it('submits once although a first attempt is refused, and fails with the reason of the job', async () => {
  const { outcome, sim } = await driveWith(
    'acme',
    [defineApi({ ...acme })],
    [
      { match: { op: 'acme.create' }, attempts: [503, 'ok'], continue: true },
      { match: { op: 'acme.create' }, task: { outcome: 'failure', reason: 'no kites today' } },
    ],
  )
  expect(outcome).toMatchObject({ ended: 'failed', reason: 'no kites today' })
  expect(sim.tasks()).toHaveLength(1)
})

it('says what to add to a definition whose schema describes no body that it accepts', async () => {
  const create = submit({
    route: 'POST /acme/jobs',
    body: z.object({ text: z.string().regex(/^kite-\d{4}$/) }),
    job: ({ body }) => ({ model: 'acme-1', prompt: body.text }),
    reply: (job) => ({ id: job.id }),
  })
  const { outcome } = await driveWith('acme', [
    defineApi({ ...acme, operations: { ...acme.operations, create } }),
  ])
  expect(outcome).toMatchObject({
    ended: 'impossible',
    reason: expect.stringContaining('Give it an example'),
  })
})
