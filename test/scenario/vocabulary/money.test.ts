import { expect, it } from 'vitest'
import { createSimulator, parseScenario, type EmbeddedOptions } from '../../../src/index.ts'
import { MyClient } from '../../support/my-client.ts'

it.each<[string, EmbeddedOptions]>([
  ['prices.0.perTask is 1e+303: must be at most 1000000', { prices: [{ models: '*', perTask: 1e303 }] }],
  ['prices.0.perSecond is 1000001: must be at most', { prices: [{ models: '*', perSecond: 1_000_001 }] }],
  ['prices.0.input is 1000001: must be at most', { prices: [{ models: '*', input: 1_000_001 }] }],
  ['prices.0.output is 1000001: must be at most', { prices: [{ models: '*', output: 1_000_001 }] }],
  ['keys.0.balance is 1e+308: must be at most 100000000', { keys: [{ key: 'sk-a', balance: 1e308 }] }],
  ['discount is 1001: must be at most 1000', { discount: 1_001 }],
])('refuses money that would overflow: %s', (message, options) => {
  expect(() => createSimulator(options)).toThrow(message)
})

it('limits what a run may cost', async () => {
  await expect(parseScenario('version: 1\nexpect: { spend: { max: 1e308 } }\n')).rejects.toThrow(
    'expect.spend.max: is 1e+308: must be at most 100000000',
  )
})

it('restores the largest sums from a snapshot', async () => {
  const options: EmbeddedOptions = {
    discount: 1_000,
    prices: [{ models: '*', perTask: 1_000_000, perSecond: 1_000_000 }],
  }
  await using sim = createSimulator(options)
  await new MyClient(sim).post('/v1/video/generations', { model: 'a', prompt: 'a kite', duration: 3_600 })
  await using restored = createSimulator(options)
  restored.restore(JSON.parse(JSON.stringify(sim.snapshot())) as never)
  expect(restored.usage()).toEqual([expect.objectContaining({ reserved: 3_601_000_000_000 })])
})
