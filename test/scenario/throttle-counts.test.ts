import { expect, it } from 'vitest'
import { Changes } from '../../src/engine/tasks/changes.ts'
import type { Matchable } from '../../src/scenario/rules/rule.ts'
import { shippedOperations } from '../../src/apis/index.ts'
import { Variables } from '../../src/scenario/rules/variables.ts'
import { Throttles } from '../../src/scenario/throttles/throttles.ts'

const poll = (namespaceName: string): Matchable => ({
  operationName: 'video.poll',
  role: 'poll',
  namespaceName,
  subject: 'task_1',
  attempt: 0,
  keyName: 'sk-test',
  accountName: 'sk-test',
  now: 0,
  elapsedMs: 0,
  body: {},
  header: () => '',
  query: '',
})

it('counts requests in every namespace, and in each', () => {
  const throttles = new Throttles(shippedOperations, [
    { id: 'polls', match: { op: 'video.poll' }, bucket: { capacity: 1, refill: '1/10s' } },
  ])
  for (const namespace of ['alice', 'alice', 'bob'])
    throttles.take(poll(namespace), () => 0, new Variables(new Changes()))
  const countIn = (namespace?: string): unknown =>
    throttles.counts(namespace).map(({ eligible, fired }) => [eligible, fired])
  expect(countIn()).toEqual([[3, 1]])
  expect(countIn('alice')).toEqual([[2, 1]])
  expect(countIn('bob')).toEqual([[1, 0]])
  expect(countIn('carol')).toEqual([[0, 0]])
})

it('marks the counts and levels of a replaced throttle as changed, but not those of an unchanged one', () => {
  const changes = new Changes()
  const bucket = { capacity: 1, refill: '1/10s' }
  const [polls, all] = [
    { id: 'polls', match: { op: 'video.poll' }, bucket },
    { id: 'all', match: { op: '*' }, bucket },
  ] as const
  const throttles = new Throttles(shippedOperations, [all, polls], changes)
  throttles.take(poll('alice'), () => 0, new Variables(changes))
  changes.begin()
  throttles.replace([all])
  expect(changes.list()).toEqual([
    ['limit', 'polls'],
    ['level', 'alice', 'polls', expect.any(String)],
  ])
})
