import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Counters } from '../../src/engine/bounded-map.ts'

it('counts the most recent subjects, whatever was counted, restored or forgotten', () => {
  const max = 8
  const subject = fc.integer({ min: 0, max: 30 }).map(String)
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.record({ does: fc.constant('next'), subject }) },
    { weight: 3, arbitrary: fc.record({ does: fc.constantFrom('restore', 'forget'), subject }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('clear'), subject }) },
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const counters = new Counters(max)
      /** The same, slowly: pairs, the least recently counted first. */
      let expected: [string, number][] = []
      for (const { does, subject: who } of steps) {
        const before = expected.find(([name]) => name === who)?.[1]
        const others = expected.filter(([name]) => name !== who)
        if (does === 'clear') {
          counters.clear()
          expected = []
        } else if (does === 'forget') {
          counters.restore(who, undefined)
          expected = others
        } else if (does === 'restore') {
          counters.restore(who, 7)
          expected = [...others, [who, 7]]
        } else {
          expect(counters.next(who)).toBe(before ?? 0)
          expected = [...others, [who, (before ?? 0) + 1]]
        }
        expected = expected.slice(-max)
        expect([...counters.subjects()].map((name) => [name, counters.count(name)])).toEqual(expected)
      }
    }),
  )
})
