import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Latest } from '../../src/engine/latest.ts'

it('holds the latest, whatever was changed, deleted or cleared meanwhile', () => {
  const name = fc.nat(12).map(String)
  const steps = fc.array(fc.tuple(fc.constantFrom('set', 'set', 'set', 'delete', 'clear'), name), {
    maxLength: 200,
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (most, changes) => {
      const latest = new Latest<number>(most)
      const expected = new Map<string, number>()
      for (const [index, [what, of]] of changes.entries()) {
        if (what === 'clear' && index % 5 === 0) {
          latest.clear()
          expected.clear()
        } else if (what === 'delete') expect(latest.delete(of)).toBe(expected.delete(of))
        else {
          latest.set(of, index)
          expected.set(of, index)
          if (expected.size > most) expected.delete([...expected.keys()][0]!)
        }
        expect([...latest]).toEqual([...expected])
      }
    }),
  )
})
