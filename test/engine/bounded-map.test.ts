import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BoundedMap } from '../../src/engine/bounded-map.ts'

it('holds the newest entries, whatever was changed, deleted or cleared', () => {
  const name = fc.nat(12).map(String)
  const steps = fc.array(fc.tuple(fc.constantFrom('set', 'set', 'set', 'delete', 'clear'), name), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (max, changes) => {
      const bounded = new BoundedMap<number>(max)
      const expected = new Map<string, number>()
      for (const [index, [what, of]] of changes.entries()) {
        if (what === 'clear' && index % 5 === 0) {
          bounded.clear()
          expected.clear()
        } else if (what === 'delete') expect(bounded.delete(of)).toBe(expected.delete(of))
        else {
          bounded.set(of, index)
          expected.set(of, index)
          if (expected.size > max) expected.delete([...expected.keys()][0]!)
        }
        expect([...bounded]).toEqual([...expected])
      }
    }),
  )
})
