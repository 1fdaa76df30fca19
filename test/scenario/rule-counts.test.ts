import { expect, it } from 'vitest'
import { Changes } from '../../src/engine/tasks/changes.ts'
import { shippedOperations } from '../../src/apis/index.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { Matchable } from '../../src/scenario/rules/rule.ts'
import { Rules } from '../../src/scenario/rules/rules.ts'
import type { Rule } from '../../src/scenario/vocabulary/types.ts'

const poll = (subject: string, namespaceName = 'default', keyName = 'sk-test'): Matchable => ({
  operationName: 'video.poll',
  role: 'poll',
  namespaceName,
  subject,
  attempt: 0,
  keyName,
  now: 0,
  elapsedMs: 0,
  body: {},
  header: () => '',
  query: '',
})

const firesOn = (rules: Rules, request: Matchable): boolean => rules.decide(request).rules.length > 0

it.each<[string, Omit<Rule, 'id' | 'match'>, boolean]>([
  ['a rule per task', { per: 'task', times: 1, delay: '1s' }, true],
  ['the attempts of a task', { attempts: [503] }, true],
  ['a rule per key', { per: 'key', times: 1, delay: '1s' }, false],
  ['a rule per namespace', { times: 1, delay: '1s' }, false],
])('lets %s begin again for a task that was removed: %j → %s', (_, rule, again) => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { id: 'rule', match: { op: 'video.poll' }, ...rule },
  ])
  expect([firesOn(rules, poll('task_1')), firesOn(rules, poll('task_1'))]).toEqual([true, false])
  firesOn(rules, poll('task_2'))
  rules.forgetTask('other', 'task_1')
  expect(firesOn(rules, poll('task_1'))).toBe(false)
  rules.forgetTask('default', 'task_1')
  expect([firesOn(rules, poll('task_1')), firesOn(rules, poll('task_2'))]).toEqual([again, false])
})

it('notes each count that changes, so that it is stored', () => {
  const changes = new Changes()
  const rules = new Rules(
    keyedDraws(1),
    shippedOperations,
    [{ id: 'polls', match: { op: 'video.poll' }, per: 'task', delay: '1s' }],
    changes,
  )
  changes.begin()
  rules.decide(poll('task_1'))
  expect(changes.list()).toEqual([
    ['rule', 'polls'],
    ['count', 'default', 'polls', 'task_1'],
  ])
  changes.markStored()
  rules.forgetTask('default', 'task_2')
  expect(changes.isEmpty).toBe(true)
  rules.forgetTask('default', 'task_1')
  expect(changes.list()).toContainEqual(['count', 'default', 'polls', 'task_1'])
})

it('continues from stored counts, unless the rule was edited since', () => {
  const rule = { id: 'polls', match: { op: 'video.poll' }, per: 'task', times: 1, delay: '1s' } as const
  const before = new Rules(keyedDraws(1), shippedOperations, [rule])
  firesOn(before, poll('task_1'))
  const past = before.past('polls')!
  const restored = (now: Rule): Rules => {
    const rules = new Rules(keyedDraws(1), shippedOperations, [now])
    rules.restore(past, 'polls')
    rules.restoreCount('default', 'polls', 'task_1', [1, 1])
    return rules
  }
  const same = restored(rule)
  expect([firesOn(same, poll('task_1')), firesOn(same, poll('task_2'))]).toEqual([false, true])
  expect(firesOn(restored({ ...rule, delay: '2s' }), poll('task_1'))).toBe(true)
})
