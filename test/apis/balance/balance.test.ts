import { expect, it } from 'vitest'
import { describeTransports, openDirect, type OpenTransport } from '../../support/transports.ts'
import { authorization, submitVideo } from '../../support/video.ts'

const get = async (transport: Pick<OpenTransport, 'call'>, path: string): Promise<Record<string, unknown>> =>
  (await (await transport.call(path, { headers: { authorization } })).json()) as Record<string, unknown>

const limit = '/v1/dashboard/billing/subscription'
const usage = '/v1/dashboard/billing/usage'

describeTransports((open) => {
  it('gives the limit of a key, and what it has spent and reserved', async () => {
    await using transport = await open({
      clock: { mode: 'manual' },
      keys: [{ key: 'sk-test', balance: 5 }],
      prices: [{ models: '*', perTask: 0.25 }],
    })
    await submitVideo(transport)
    expect(await get(transport, limit)).toMatchObject({ hard_limit_usd: 5, access_until: 0 })
    expect(await get(transport, usage)).toEqual({ object: 'list', total_usage: 25 })
    await transport.sim.clock.advance('10m')
    expect(await get(transport, limit)).toMatchObject({ hard_limit_usd: 5 })
    expect(await get(transport, usage)).toEqual({ object: 'list', total_usage: 25 })
  })
})

it('gives the money of a failed task back', async () => {
  await using transport = await openDirect({
    clock: { mode: 'manual' },
    prices: [{ models: '*', perTask: 0.25 }],
  })
  await submitVideo(transport, { prompt: 'a kite [[fail]]' })
  expect(await get(transport, usage)).toMatchObject({ total_usage: 25 })
  await transport.sim.clock.advance('10m')
  expect(await get(transport, usage)).toMatchObject({ total_usage: 0 })
})

it('has the same bills without the version in the path', async () => {
  await using transport = await openDirect()
  expect(await get(transport, '/dashboard/billing/subscription')).toEqual(await get(transport, limit))
  expect(await get(transport, '/dashboard/billing/usage')).toEqual(await get(transport, usage))
})

it('shows no bill without a key', async () => {
  await using transport = await openDirect()
  expect((await transport.call(limit)).status).toBe(401)
})

it('says when a key expires', async () => {
  const keys = [{ key: 'sk-test', expires: '2040-01-01T00:00:00Z' }]
  await using transport = await openDirect({ keys })
  expect(await get(transport, limit)).toMatchObject({
    hard_limit_usd: 100_000_000,
    access_until: 2_208_988_800,
  })
})

it('names the method of a bill for another one, and what there is for another bill', async () => {
  await using transport = await openDirect()
  const messageOf = async (path: string): Promise<string> => {
    const response = await transport.call(path, { method: 'POST', headers: { authorization } })
    return ((await response.json()) as { error: { message: string } }).error.message
  }
  expect(await messageOf(usage)).toMatch(/This path takes GET \(balance\.usage\)/)
  expect(await messageOf('/v1/dashboard/billing/invoices')).toMatch(/Other bills are not offered/)
})
