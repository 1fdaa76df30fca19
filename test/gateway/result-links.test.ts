import { expect, it } from 'vitest'
import { keyedDraws } from '../../src/engine/random/draws.ts'
import type { Task } from '../../src/engine/tasks/tasks.ts'
import { ResultLinks } from '../../src/gateway/replies/result-links.ts'

const task = (lastLook: number): Task => ({ record: { id: 'task_1' }, lastLook }) as unknown as Task

it('has a link for a while, and its own lifetime before the default one', () => {
  const query = new ResultLinks(1_000, keyedDraws(1)).queryFor('task_1', 5_000, 60_000)
  expect(query).toMatch(/^\?until=6000&token=[0-9a-f]{16}$/)
  const byDefault = new ResultLinks(undefined, keyedDraws(1))
  expect(byDefault.queryFor('task_1', 5_000, 1_000)).toBe(query)
  expect(byDefault.queryFor('task_1', 5_000)).toBe('')
  expect(new ResultLinks(0, keyedDraws(1)).queryFor('task_1', 5_000)).toContain('until=5000&')
})

it('lets a link work until its instant, for its task, as it was sent', () => {
  const links = new ResultLinks(1_000, keyedDraws(1))
  const query = links.queryFor('task_1', 5_000)
  const isExpired = (now: number, text = query): boolean =>
    links.isExpired({ query: text, now }, task(9_000), 0)
  expect([5_999, 6_000].map((now) => isExpired(now))).toEqual([false, true])
  expect(isExpired(5_000, query.replace('6000', '7000'))).toBe(true)
  expect(isExpired(5_000, links.queryFor('task_2', 5_000))).toBe(true)
  expect(isExpired(5_000, '?until=6000&token=')).toBe(true)
})

it('lets a URL that a client has built work for as long after the latest poll, or after the end', () => {
  const links = new ResultLinks(1_000, keyedDraws(1))
  const expired = (lastLook: number, finishedAt: number): boolean[] =>
    [8_999, 9_000].map((now) => links.isExpired({ query: 'a=b', now }, task(lastLook), finishedAt))
  expect(expired(8_000, 7_000)).toEqual([false, true])
  expect(expired(7_000, 8_000)).toEqual([false, true])
  expect(expired(8_001, 0)).toEqual([false, false])
})

it('never lets results expire without a lifetime, or after the default one', () => {
  const links = new ResultLinks(undefined, keyedDraws(1))
  const at = (now: number, defaultMs?: number): boolean =>
    links.isExpired({ query: '', now }, task(0), 0, defaultMs)
  expect([at(1e12), at(999, 1_000), at(1_000, 1_000)]).toEqual([false, false, true])
})
