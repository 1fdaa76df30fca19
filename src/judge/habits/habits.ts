import { findInvariant } from '../invariants/invariants.ts'
import { causes, type Habit } from './habit.ts'
import { habitOfInvariant } from './invariant-habit.ts'
import * as lists from './lists.ts'

const indexOf = ({ cause }: Habit): number => (cause ? causes.indexOf(cause) : causes.length)

/** Sorts habits by their causes and ranks. */
export const inOrder = (all: readonly Habit[]): Habit[] =>
  all.toSorted((one, other) => indexOf(one) - indexOf(other) || one.rank - other.rank)

/** All but violated invariants, which follow from a run. */
export const habits: readonly Habit[] = lists.habits

const byName = new Map(habits.map((habit) => [habit.name, habit]))

/**
 * The habit of a mistake; a violated invariant is one, too.
 * @throws for a name that is neither.
 */
export function habitNamed(name: string): Habit {
  const habit = byName.get(name) ?? (findInvariant(name) && habitOfInvariant(name))
  if (!habit) throw new Error(`There is no habit "${name}".`)
  return habit
}
