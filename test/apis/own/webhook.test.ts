import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import type { EmbeddedOptions, NodeSimulator } from '../../../src/index.ts'
import { standardWebhooks, submit, z, type WebhookOptions } from '../../../src/apis/own/index.ts'
import { acme, call, create, simulatorOf } from './acme.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = z.object({ text: z.string(), hook: z.string().optional() })
const operations = { ...acme.operations, create: submit({ ...create, body } as never) }
const hook = 'https://app.example/hook'

interface Received {
  readonly at: number
  readonly raw: string
  readonly headers: Headers
}

/** A simulator whose webhooks a function receives. @param status answers a webhook. */
function simulatorWith(
  webhook: Partial<WebhookOptions> = {},
  { status = () => 200, ...options }: EmbeddedOptions & { status?: (raw: string) => number } = {},
): { sim: NodeSimulator; received: Received[] } {
  const received: Received[] = []
  const deliver = async (request: Request): Promise<Response> => {
    const raw = await request.text()
    received.push({ at: sim.clock.now(), raw, headers: request.headers })
    return new Response(null, { status: status(raw) })
  }
  const given: WebhookOptions = {
    to: ({ body }) => body['hook'],
    body: (job, { change }) => ({ id: job.id, status: job.status, change, url: job.url }),
    ...webhook,
  }
  const sim = simulatorOf(
    { operations, timing: { queued: '2s', render: '10s' }, webhook: given },
    { clock: 'manual', deliver, ...options },
  )
  return { sim, received }
}

const make = (sim: NodeSimulator, to: string | undefined = hook) =>
  call(sim, 'POST', '/acme/jobs', { body: { text: 'a red kite', hook: to } })

const statusesOf = (received: readonly Received[]): unknown[] =>
  received.map(({ raw }) => (JSON.parse(raw) as { status: string }).status)

it('posts the end of a job to the URL of its submission, at its instant', async () => {
  const { sim, received } = simulatorWith()
  const start = sim.clock.now()
  await make(sim)
  await sim.clock.advance('1m')
  expect(received).toHaveLength(1)
  expect(received[0]!.at - start).toBe(12_000)
  expect(JSON.parse(received[0]!.raw)).toMatchObject({
    status: 'ready',
    change: 'success',
    url: expect.any(String),
  })
  expect(sim.journal().at(-1)).toMatchObject({ operation: 'acme.webhook', role: 'report', status: 200 })
  await sim.close()
})

it('posts the changes and the progress that the definition names', async () => {
  const { sim, received } = simulatorWith({ on: ['work', 'success'], progress: [50] })
  await make(sim)
  await sim.clock.advance('1m')
  expect(statusesOf(received)).toEqual(['drawing', 'drawing', 'ready'])
  await sim.close()
})

it('signs as Standard Webhooks describe, by virtual time', async () => {
  const { sim, received } = simulatorWith({ sign: standardWebhooks(secret) })
  await make(sim)
  await sim.clock.advance('1m')
  const [{ raw, headers, at }] = received as [Received]
  const timestamp = headers.get('webhook-timestamp')
  expect(timestamp).toBe(String(Math.floor(at / 1000)))
  const mac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
  mac.update(`${headers.get('webhook-id')}.${timestamp}.${raw}`)
  expect(headers.get('webhook-signature')).toBe(`v1,${mac.digest('base64')}`)
  await sim.close()
})

it('repeats a message with the same id until the receiver accepts it', async () => {
  let count = 0
  const { sim, received } = simulatorWith(
    { sign: ({ id }) => ({ 'x-id': id }), retries: ['5s', '1m'] },
    { status: () => (count++ < 2 ? 500 : 202) },
  )
  await make(sim)
  await sim.clock.advance('5m')
  const [first, ...more] = received.map(({ at }) => at)
  expect(more.map((at) => at - first!)).toEqual([5_000, 65_000])
  expect(new Set(received.map(({ headers }) => headers.get('x-id'))).size).toBe(1)
  await sim.close()
})

it('sends nothing for a submission without a URL, unless the config has one', async () => {
  const without = simulatorWith()
  await call(without.sim, 'POST', '/acme/jobs', { body: { text: 'a red kite' } })
  await without.sim.clock.advance('1m')
  expect(without.received).toEqual([])
  const configured = simulatorWith({}, { webhooks: { acme: { url: hook } } })
  await call(configured.sim, 'POST', '/acme/jobs', { body: { text: 'a red kite' } })
  await configured.sim.clock.advance('1m')
  expect(configured.received).toHaveLength(1)
})

it('calls no other host by the network, unless the config allows it', async () => {
  const sim = simulatorOf(
    { operations, timing: { queued: '2s', render: '10s' }, webhook: { to: () => hook, body: () => ({}) } },
    { clock: 'manual' },
  )
  await make(sim)
  await sim.clock.advance('1m')
  expect(sim.journal().at(-1)).toMatchObject({
    operation: 'acme.webhook',
    status: 0,
    hint: 'webhooks.acme.allow of the config allows hosts.',
  })
  await sim.close()
})

it('keeps where changes are posted in a snapshot', async () => {
  const before = simulatorWith()
  await make(before.sim)
  const { sim, received } = simulatorWith()
  sim.restore(before.sim.snapshot())
  await sim.clock.advance('1m')
  expect(statusesOf(received)).toEqual(['ready'])
})

it.each([
  ['lost', []],
  ['twice', ['ready', 'ready']],
  ['forged', ['broken', 'ready']],
] as const)('matches faults of callbacks: %s', async (fault, statuses) => {
  const rules = [{ match: { op: 'acme.webhook' }, fault }]
  const { sim, received } = simulatorWith({ sign: standardWebhooks(secret) }, { rules })
  await make(sim)
  await sim.clock.advance('5m')
  expect(statusesOf(received)).toEqual(statuses)
  await sim.close()
})

it.each([
  [200, true],
  [401, false],
])(
  'judges whether a receiver verifies signatures: it answers a forged message with %i',
  async (status, isDoubtful) => {
    const rules = [{ match: { op: 'acme.webhook' }, fault: 'forged' as const }]
    const { sim } = simulatorWith(
      { sign: standardWebhooks(secret) },
      { rules, status: (raw) => (raw.includes('broken') ? status : 200) },
    )
    await make(sim)
    await sim.clock.advance('5m')
    const { invariants } = await sim.verdict()
    const judged = invariants.find(({ name }) => name === 'verifies-webhooks')
    expect([judged?.verdict, judged?.doubtful !== undefined]).toEqual(['pass', isDoubtful])
    await sim.close()
  },
)

const fails = (): never => {
  throw new TypeError('no such field')
}

it.each(['body', 'sign', 'accepts'] as const)(
  'says that %s of a webhook fails, and fails the verdict',
  async (name) => {
    const warnings: string[] = []
    const { sim, received } = simulatorWith(
      { [name]: fails },
      { onWarning: (message) => warnings.push(message) },
    )
    await make(sim)
    await sim.clock.advance('1m')
    expect(received).toHaveLength(name === 'accepts' ? 1 : 0)
    const message = `acme.webhook threw in webhook.${name}: TypeError: no such field`
    expect(warnings.join()).toContain(message)
    const { passed, results } = await sim.verdict()
    expect(passed).toBe(false)
    expect(results[0]).toMatchObject({
      path: 'run',
      actual: expect.stringContaining(message),
      hint: 'Correct the file that defines the API.',
    })
    await sim.close()
  },
)

it('replays the first message with its signature, for the fault stale', async () => {
  const rules = [{ match: { op: 'acme.webhook', state: 'ready' }, fault: 'stale' as const }]
  const { sim, received } = simulatorWith(
    { on: ['work', 'success'], sign: standardWebhooks(secret) },
    { rules },
  )
  await make(sim)
  await sim.clock.advance('1m')
  expect(statusesOf(received)).toEqual(['drawing', 'ready', 'drawing'])
  const [first, , replayed] = received as [Received, Received, Received]
  expect(replayed.at).toBeGreaterThan(first.at)
  expect(replayed.raw).toBe(first.raw)
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    expect(replayed.headers.get(name)).toBe(first.headers.get(name))
  await sim.close()
})

it('refuses a secret of another form', () => {
  expect(() => standardWebhooks('secret')).toThrow('whsec_')
})
