import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Counters } from '../../src/engine/counters.ts'

const most = 4

/** The same by a list, those who haven't come for longest first. */
class Plain {
  counted: [subject: string, count: number][] = []

  next(subject: string): number {
    const known = this.counted.find(([name]) => name === subject)
    // In order of use only when some must soon go.
    if (known && this.counted.length <= most / 2) return known[1]++
    this.restore(subject, (known?.[1] ?? 0) + 1)
    return known?.[1] ?? 0
  }

  restore(subject: string, count: number | undefined): void {
    this.counted = this.counted.filter(([name]) => name !== subject)
    if (count !== undefined) this.counted.push([subject, count])
    if (this.counted.length > most) this.counted.shift()
  }
}

it('counts and forgets as a list would, in whatever order subjects come', () => {
  const subject = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('next' as const), subject }) },
    fc.record({
      do: fc.constant('restore' as const),
      subject,
      count: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
    fc.record({ do: fc.constant('clear' as const) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const counters = new Counters(most)
      const plain = new Plain()
      for (const each of steps) {
        if (each.do === 'next') expect(counters.next(each.subject)).toBe(plain.next(each.subject))
        else if (each.do === 'clear') {
          counters.clear()
          plain.counted = []
        } else {
          counters.restore(each.subject, each.count)
          plain.restore(each.subject, each.count)
        }
        const counted = [...counters.subjects()].map((name) => [name, counters.count(name)])
        expect(counted).toEqual(plain.counted)
      }
    }),
  )
})
