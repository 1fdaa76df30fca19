import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Rule } from '../../src/scenario/rules/rule.ts'
import { fileIn, keep, newFolder, written, type Kept } from './keep.ts'

/** Every second request of a key is refused. */
const rule = (status: number): Rule => ({
  id: 'moody',
  match: { op: 'models.list' },
  per: 'key',
  every: 2,
  respond: { status },
})

const ask = async ({ call }: Kept, key: string): Promise<number> =>
  (await call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status

it.each([
  ['came back in the words of before', [rule(503), rule(504), rule(503)]],
  ['was taken out and put in again', [rule(503), undefined, rule(503)]],
  ['says something else', [rule(503), rule(504)]],
])('goes on from the counts of a rule as they were at the end, where it %s', async (_what, edits) => {
  const folder = newFolder()
  const rulesOf = (edit: Rule | undefined): Rule[] => (edit ? [edit] : [])
  await using kept = keep(folder, { rules: rulesOf(edits[0]) })
  await ask(kept, 'sk-one')
  for (const edit of edits.slice(1)) kept.sim.core.rules.replace(rulesOf(edit))
  await ask(kept, 'sk-two')
  const left = newFolder()
  writeFileSync(fileIn(left), readFileSync(fileIn(folder)).subarray(0, written(folder).length))
  await using again = keep(left, { rules: rulesOf(edits.at(-1)) })
  expect(again.sim.rules()).toEqual(kept.sim.rules())
  // What was edited counts anew: this is its first request of this key, and the second of that.
  for (const one of [kept, again]) {
    expect([await ask(one, 'sk-one'), await ask(one, 'sk-two')]).toEqual([200, edits.at(-1)!.respond!.status])
  }
})

it('counts a rule anew that was taken away at run time and added again, after a restart, too', async () => {
  const folder = newFolder()
  const once: Rule = { id: 'once', match: { op: 'models.list' }, times: 1, respond: { status: 503 } }
  await using kept = keep(folder)
  kept.sim.addRule(once)
  expect(await ask(kept, 'sk-one')).toBe(503)
  kept.sim.removeRule('once')
  kept.sim.addRule(once)
  await kept.call('/api/pricing')
  const left = newFolder()
  writeFileSync(fileIn(left), readFileSync(fileIn(folder)).subarray(0, written(folder).length))
  await using again = keep(left)
  expect([await ask(again, 'sk-one'), await ask(again, 'sk-one')]).toEqual([503, 200])
})
