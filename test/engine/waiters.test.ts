import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Waiters } from '../../src/engine/waiters.ts'

it('takes waiters by due time, and those due together in the order they came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 60 }), (dues) => {
      const waiters = new Waiters()
      const woken: [number, number][] = []
      for (const [index, due] of dues.entries()) waiters.add(due, () => woken.push([due, index]))
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
      const leaves = plans.map(([due], index) => waiters.add(due, () => woken.push(index)))
      for (const [index, [, stays]] of plans.entries()) {
        if (stays) continue
        leaves[index]!()
        leaves[index]!()
      }
      expect(waiters.size).toBe(plans.filter(([, stays]) => stays).length)
      for (let next = waiters.takeDue(99); next; next = waiters.takeDue(99)) next.wake()
      expect(woken.toSorted((a, b) => a - b)).toEqual(
        plans.flatMap(([, stays], index) => (stays ? [index] : [])),
      )
    }),
  )
})
