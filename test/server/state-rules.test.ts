import { expect, it } from 'vitest'
import type { Rule } from '../../src/index.ts'
import { copyAsKilled, newFolder, startStored, type Stored } from './stored.ts'

/** Every second request of a key is refused. */
const rule = (status: number): Rule => ({
  id: 'moody',
  match: { op: 'models.list' },
  per: 'key',
  every: 2,
  respond: { status },
})

const statusOf = async ({ call }: Stored, key: string): Promise<number> =>
  (await call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status

it.each([
  ['was restored as it was', [rule(503), rule(504), rule(503)]],
  ['was removed and added again', [rule(503), undefined, rule(503)]],
  ['has changed', [rule(503), rule(504)]],
])('continues from the latest counts of a rule that %s', async (_what, edits) => {
  const folder = newFolder()
  const rulesOf = (edit: Rule | undefined): Rule[] => (edit ? [edit] : [])
  await using stored = await startStored(folder, { rules: rulesOf(edits[0]) })
  await statusOf(stored, 'sk-one')
  for (const edit of edits.slice(1)) stored.sim.core.rules.replace(rulesOf(edit))
  await statusOf(stored, 'sk-two')
  await using restored = await startStored(copyAsKilled(folder), { rules: rulesOf(edits.at(-1)) })
  expect(restored.sim.rules()).toEqual(stored.sim.rules())
  // An edited rule counts from zero: this is its first request of one key, and its second of the other.
  for (const one of [stored, restored]) {
    expect([await statusOf(one, 'sk-one'), await statusOf(one, 'sk-two')]).toEqual([
      200,
      edits.at(-1)!.respond!.status,
    ])
  }
})

it('counts from zero a rule that was removed at run time and added again, also after a restart', async () => {
  const folder = newFolder()
  const once: Rule = { id: 'once', match: { op: 'models.list' }, times: 1, respond: { status: 503 } }
  await using stored = await startStored(folder)
  stored.sim.addRule(once)
  expect(await statusOf(stored, 'sk-one')).toBe(503)
  stored.sim.removeRule('once')
  stored.sim.addRule(once)
  await stored.call('/api/pricing')
  await using restored = await startStored(copyAsKilled(folder))
  expect([await statusOf(restored, 'sk-one'), await statusOf(restored, 'sk-one')]).toEqual([503, 200])
})
