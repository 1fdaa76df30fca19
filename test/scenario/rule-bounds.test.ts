import { expect, it } from 'vitest'
import { Counters } from '../../src/engine/bounded-map.ts'
import { shippedOperations } from '../../src/apis/index.ts'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import { Rules } from '../../src/scenario/rules/rules.ts'

it('limits the number of counts and of added rules', () => {
  const counters = new Counters(100)
  for (let n = 0; n < 1_000; n++) counters.next(`subject ${n}`)
  expect([...counters.subjects()].length).toBe(100)
  const rules = new Rules(keyedDraws(1), shippedOperations)
  const request = {
    operationName: 'video.poll',
    role: 'poll' as const,
    namespaceName: 'default',
    keyName: '',
    accountName: '',
    subject: 's',
    attempt: 0,
    now: 0,
    elapsedMs: 0,
    body: {},
    header: () => '',
    query: '',
  }
  for (let n = 0; n < 300; n++) {
    rules.next({ match: { op: 'video.poll' }, respond: { status: 500 } })
    expect(rules.decide(request).respond).toEqual({ status: 500 })
  }
  // The latest used-up rules stay listed.
  expect(rules.list().map(({ id, fired, spent }) => [id, fired, spent])).toEqual(
    Array.from({ length: 20 }, (_, index) => [`next-${281 + index}`, 1, true]),
  )
  for (let n = 0; n < 1_000; n++) rules.next({ match: { op: 'video.poll' }, delay: '1s', times: 2 })
  expect(rules.list().length).toBe(1_000)
  expect(() => rules.next({ match: { op: 'video.poll' }, delay: '1s' })).toThrow('Take one away first')
  for (let n = 0; n < 1_000; n++) rules.add({ match: { op: 'video.poll' }, delay: '1s' })
  expect(() => rules.add({ match: { op: 'video.poll' }, delay: '1s' })).toThrow('Take one away first')
})
