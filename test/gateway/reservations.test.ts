import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Reservations, type Reservation } from '../../src/gateway/accounts/reservations.ts'

const reservation = fc.record({
  quota: fc.nat(1_000),
  endsAt: fc.option(fc.nat(4e12)),
  spends: fc.boolean(),
})

it('knows what is set aside for each task, as a map of them does', () => {
  const step = fc.record({
    does: fc.constantFrom('add', 'add', 'remove', 'change', 'ask'),
    task: fc.integer({ min: 0, max: 12 }).map(String),
    reservation,
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const setAside = new Reservations()
      const expected = new Map<string, Reservation>()
      for (const { does, task, reservation: what } of steps) {
        const known = expected.get(task)
        if (does === 'add' && !known) {
          setAside.add(task, what)
          expected.set(task, what)
        } else if (does === 'remove' && known) {
          setAside.remove(setAside.placeOf(task)!)
          expected.delete(task)
        } else if (does === 'change' && known) {
          setAside.change(setAside.placeOf(task)!, what)
          expected.set(task, { ...what, quota: known.quota })
        } else if (does === 'ask') {
          const place = setAside.placeOf(task)
          expect(place === undefined ? undefined : setAside.at(place)).toEqual(known)
        }
      }
      const inColumns = [...setAside.tasks()].map((task, place) => [task, setAside.at(place)] as const)
      expect(new Map(inColumns)).toEqual(expected)
      expect(setAside.size).toBe(expected.size)
      expect(setAside.quota).toBe([...expected.values()].reduce((sum, { quota }) => sum + quota, 0))
    }),
  )
})

it('tells what ends later from what has ended and what never will', () => {
  const setAside = new Reservations()
  setAside.add('one', { quota: 1, endsAt: 100, spends: true })
  setAside.add('stuck', { quota: 1, endsAt: null, spends: false })
  expect(setAside.endsBehind(0, 99)).toBe(true)
  expect(setAside.endsBehind(0, 100)).toBe(false)
  expect(setAside.endsBehind(1, 100)).toBe(false)
})
