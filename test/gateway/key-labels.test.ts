import { expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import { labelKey } from '../../src/gateway/accounts/keys.ts'
import { createSimulator } from '../../src/index.ts'

const first = 'sk-abcdefghijklmnop-yz'
const second = 'sk-abZZZZZZZZZZZZZZ-yz'

it('tells two keys apart that look the same when masked', () => {
  const draws = keyedDraws(1)
  expect(labelKey(first, draws).masked).toBe(labelKey(second, draws).masked)
  expect(labelKey(first, draws).hash).not.toBe(labelKey(second, draws).hash)
  expect(labelKey(first, draws)).toEqual(labelKey(first, keyedDraws('1')))
})

it('keys the hash by the seed, and gives no key an empty one', () => {
  expect(labelKey(first, keyedDraws(1)).hash).not.toBe(labelKey(first, keyedDraws(2)).hash)
  expect(labelKey('', keyedDraws(1))).toEqual({ masked: '', hash: '' })
})

it('fails one-key for a poll with another key of the same length, beginning and end', async () => {
  await using sim = createSimulator({ seed: 3, cacheDir: false })
  const run = sim.watch({ always: ['one-key'] })
  const headers = (key: string): Record<string, string> => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  })
  const body = JSON.stringify({ model: 'video-1', prompt: 'a kite' })
  const submitted = await sim.fetch('http://gateway.example/v1/video/generations', {
    method: 'POST',
    headers: headers(first),
    body,
  })
  const { task_id: id } = (await submitted.json()) as { task_id: string }
  await sim.fetch(`http://gateway.example/v1/video/generations/${id}`, { headers: headers(second) })
  const { results } = await run.verdict()
  expect(results[0]).toMatchObject({ path: 'always[0]', verdict: 'fail', requests: [1, 2] })
  expect(JSON.stringify(sim.journal())).not.toContain(second)
})
