import fc from 'fast-check'
import { expect, it } from 'vitest'
import { latestInstant } from '../../src/engine/clock/clock-settings.ts'
import { Waiters, type Waiter, type Waiting } from '../../src/engine/clock/waiters.ts'

const waiter = (due: number, wake: () => void, rank = ''): Waiter => ({
  due,
  wake,
  rank,
  waiting: { kind: 'sleep' },
})

it('takes waiters by due time, and those due together in the order they came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 60 }), (dues) => {
      const waiters = new Waiters()
      const woken: [number, number][] = []
      for (const [index, due] of dues.entries()) waiters.add(waiter(due, () => woken.push([due, index])))
      for (let next = waiters.takeDue(20); next; next = waiters.takeDue(20)) next.wake()
      const expected = dues.map((due, index): [number, number] => [due, index])
      expect(woken).toEqual(expected.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]))
    }),
  )
})

it('forgets those who left, and no others', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 20 }), fc.boolean()), { maxLength: 60 }), (plans) => {
      const waiters = new Waiters()
      const woken: number[] = []
      const added = plans.map(([due], index) => waiters.add(waiter(due, () => woken.push(index))))
      for (const [index, [, stays]] of plans.entries()) {
        if (stays) continue
        added[index]!.remove()
        added[index]!.remove()
      }
      expect(waiters.size).toBe(plans.filter(([, stays]) => stays).length)
      for (let next = waiters.takeDue(99); next; next = waiters.takeDue(99)) next.wake()
      expect(woken.toSorted((a, b) => a - b)).toEqual(
        plans.flatMap(([, stays], index) => (stays ? [index] : [])),
      )
    }),
  )
})

it('takes those due together by rank before it asks who came first', () => {
  const ranks = fc.constantFrom('', 'a', 'b', 'c')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 3 }), ranks), { maxLength: 40 }), (plans) => {
      const waiters = new Waiters()
      const woken: [number, string, number][] = []
      for (const [index, [due, rank]] of plans.entries()) {
        waiters.add(waiter(due, () => woken.push([due, rank, index]), rank))
      }
      expect(waiters.list().map(({ due }) => due)).toEqual(plans.map(([due]) => due).toSorted())
      for (let next = waiters.takeDue(3); next; next = waiters.takeDue(3)) next.wake()
      const expected = plans.map(([due, rank], index): [number, string, number] => [due, rank, index])
      const inOrder = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
      expect(woken).toEqual(expected.toSorted((a, b) => a[0] - b[0] || inOrder(a[1], b[1]) || a[2] - b[2]))
    }),
  )
})

it('lists the clients that wait and the owners of deadlines, once for each, without timers and work of its own', () => {
  const waiters = new Waiters()
  const add = (waiting: Waiting): unknown => waiters.add({ ...waiter(1_000, () => {}), waiting })
  for (const kind of ['sleep', 'answer', 'work', 'deadline'] as const) add({ kind, name: kind })
  add({ kind: 'answer', name: 'sleep' })
  add({ kind: 'sleep' })
  add({ kind: 'deadline' })
  add({ kind: 'deadline', name: 'process', isTimer: true })
  expect(waiters.parkedClients()).toEqual(['sleep', 'answer', 'sleep', undefined])
  expect(waiters.deadlineOwners()).toEqual(['deadline', undefined])
})

it('postpones deadlines only, to forever after the end of time, and keeps the order', () => {
  const waiters = new Waiters()
  const add = (due: number, kind: 'sleep' | 'deadline', name: string): { readonly due: number } =>
    waiters.add({ due, rank: '', wake: () => {}, waiting: { kind, name } })
  const late = add(latestInstant - 5, 'deadline', 'late')
  const early = add(1_000, 'deadline', 'early')
  add(1_500, 'sleep', 'sleeper')
  add(1_000, 'sleep', 'other')
  const names = (): unknown => waiters.list().map(({ waiting }) => waiting.name)
  expect(names()).toEqual(['other', 'early', 'sleeper', 'late'])
  waiters.postponeDeadlines(5)
  expect([early.due, late.due]).toEqual([1_005, latestInstant])
  waiters.postponeDeadlines(1_000)
  expect([early.due, late.due, names()]).toEqual([2_005, Infinity, ['other', 'sleeper', 'early', 'late']])
})

it('knows whether clients wait, and whether responses do that will come', () => {
  const known = (kind: Waiting['kind'], due: number): boolean[] => {
    const waiters = new Waiters()
    waiters.add({ due, rank: '', wake: () => {}, waiting: { kind } })
    return [waiters.parkedClients().length > 0, waiters.hasResponses]
  }
  expect(known('sleep', 5)).toEqual([true, false])
  expect(known('answer', 5)).toEqual([true, true])
  expect(known('answer', Infinity)).toEqual([true, false])
  expect(known('work', 5)).toEqual([false, false])
  expect(known('deadline', 5)).toEqual([false, false])
})

it('takes what is due at the very instant, and nothing later', () => {
  const waiters = new Waiters()
  waiters.add(waiter(5, () => {}))
  expect([waiters.takeDue(4), waiters.takeDue(5)?.due, waiters.takeDue(6), waiters.size]).toEqual([
    undefined,
    5,
    undefined,
    0,
  ])
})
