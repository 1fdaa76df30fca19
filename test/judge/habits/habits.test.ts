import { expect, it } from 'vitest'
import { causes } from '../../../src/judge/habits/habit.ts'
import { habitNamed, habits, inOrder } from '../../../src/judge/habits/habits.ts'
import { invariantNames } from '../../../src/judge/invariants/invariants.ts'

it('gives each habit a name of its own, which no invariant has', () => {
  const names = [...habits.map(({ name }) => name), ...invariantNames]
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

it('gives the habits of one cause distinct ranks, so that a run shows only one of them', () => {
  const places = habits.flatMap(({ cause, rank }) => (cause ? `${cause} ${rank}` : []))
  expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([])
})

it('ranks every habit above the invariants of its cause', () => {
  const paid = invariantNames.map(habitNamed).filter(({ cause }) => cause === 'payment')
  const ranks = habits.flatMap(({ cause, rank }) => (cause === 'payment' ? rank : []))
  expect(paid.length).toBeGreaterThan(0)
  expect(Math.max(...ranks)).toBeLessThan(Math.min(...paid.map(({ rank }) => rank)))
})

it('begins with whether the client ended, and ends with what has no cause', () => {
  const order = [...causes, undefined]
  const found = inOrder(habits).map(({ cause }) => order.indexOf(cause))
  expect(found).toEqual(found.toSorted((one, other) => one - other))
  expect(inOrder(habits)[0]!.name).toBe('relies-on-callbacks')
})

it('finds habits and invariants by their names, and refuses others', () => {
  expect(habitNamed('no-deadline').severity).toBe('hung')
  expect(habitNamed('poll-interval').severity).toBe('misbehaved')
  expect(() => habitNamed('no-dead-line')).toThrow('There is no habit "no-dead-line".')
})
