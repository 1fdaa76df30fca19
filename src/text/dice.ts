import type { TextChance } from './spec.ts'

/** Keyed draws for one part of an answer: the same key always falls the same way. */
export interface Dice {
  /** A number in [0, 1). */
  unit(key: string): number
  /** A whole number from 0 to `below` - 1. */
  integer(below: number, key: string): number
  pick<Item>(items: readonly Item[], key: string): Item
  /** Dice of their own for a part of the part. */
  of(part: string): Dice
}

/** @param purpose which part of the answer is drawn, such as `prose`. */
export function diceOf(chance: TextChance, purpose: string): Dice {
  const unit = (key: string): number => {
    return chance.draws.unit(`text/${purpose}/${key}`, chance.subject, chance.n)
  }
  const integer = (below: number, key: string): number => Math.floor(unit(key) * below)
  return {
    unit,
    integer,
    pick: (items, key) => items[integer(items.length, key)]!,
    of: (part) => diceOf(chance, `${purpose}/${part}`),
  }
}
