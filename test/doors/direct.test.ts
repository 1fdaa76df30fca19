import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'

it('leaves addresses that name no host to the usual fetch', async () => {
  await using sim = createSimulator({ cacheDir: false })
  expect(await (await sim.fetch('data:,a%20kite')).text()).toBe('a kite')
  expect(sim.journal()).toEqual([])
})
