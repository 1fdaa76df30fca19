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
  accountName: keyName,
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

it('counts restored requests in the totals of their namespace once', () => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { id: 'polls', match: { op: 'video.poll' }, per: 'task', times: 2, delay: '1s' },
  ])
  for (const task of ['task_1', 'task_1', 'task_1', 'task_2']) firesOn(rules, poll(task))
  expect(rules.counts('default')).toMatchObject([{ eligible: 4, fired: 3 }])
  rules.restoreCount('default', 'polls', 'task_1', [5, 2])
  rules.restoreCount('default', 'polls', 'task_2', [1, 0])
  expect(rules.counts('default')).toMatchObject([{ eligible: 6, fired: 2 }])
  rules.restoreCount('default', 'polls', 'task_1', [0, 0])
  expect(rules.counts('default')).toMatchObject([{ eligible: 1, fired: 0 }])
  expect(rules.counts('other')).toMatchObject([{ eligible: 0, fired: 0 }])
})

it('stores the definition of a rule only if the rule was added at run time', () => {
  const rule = { match: { op: 'video.poll' }, delay: '1s' } as const
  const rules = new Rules(keyedDraws(1), shippedOperations, [{ id: 'file', ...rule }])
  rules.add({ id: 'mine', ...rule })
  firesOn(rules, poll('task_1'))
  const print = expect.any(String)
  expect(rules.past('mine')).toStrictEqual({
    layer: 'added',
    eligible: 1,
    fired: 1,
    print,
    rule: { id: 'mine', ...rule },
  })
  expect(rules.past('file')).toStrictEqual({ layer: 'file', eligible: 1, fired: 0, print })
  expect(rules.past('other')).toBeUndefined()
})

it.each<Partial<Rule>>([
  { answer: { text: 'Paris.' } },
  { stream: { gap: '1s' } },
  { media: { seconds: 3 } },
  { respond: { status: 503 } },
  { fault: { type: 'reset' } },
])('adds %j of a rule to those before it that continue', (effect) => {
  const rules = new Rules(keyedDraws(1), shippedOperations, [
    { match: { op: 'video.poll' }, delay: '1s', continue: true },
    { match: { op: 'video.poll' }, delay: '2s', task: { render: '1s' }, ...effect },
  ])
  const delayMs = 1000
  expect(rules.decide(poll('task_1'))).toMatchObject({
    rules: ['rule-1', 'rule-2'],
    delayMs,
    task: { render: '1s' },
    ...effect,
  })
})
