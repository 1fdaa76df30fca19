import type { TextChance } from '../spec.ts'

/** Keyed draws for one part of an answer: the same key always falls the same way. */
export interface Rng {
  /** A number in [0, 1). */
  unit(key: string): number
  /** A whole number from 0 to `below` - 1. */
  integer(below: number, key: string): number
  pick<Item>(items: readonly Item[], key: string): Item
  /** Dice of their own for a part of the part. */
  of(part: string): Rng
}

/** @param purpose which part of the answer is drawn, such as `prose`. */
export function rngFor(chance: TextChance, purpose: string): Rng {
  return new KeyedDice(chance, purpose)
}

/** Many are made for one answer, so they are no more than a name. */
class KeyedDice implements Rng {
  readonly #chance: TextChance
  readonly #purpose: string

  constructor(chance: TextChance, purpose: string) {
    this.#chance = chance
    this.#purpose = purpose
  }

  unit(key: string): number {
    const { draws, subject, n } = this.#chance
    return draws.unit(`text/${this.#purpose}/${key}`, subject, n)
  }

  integer(below: number, key: string): number {
    return Math.floor(this.unit(key) * below)
  }

  pick<Item>(items: readonly Item[], key: string): Item {
    return items[this.integer(items.length, key)]!
  }

  of(part: string): Rng {
    return new KeyedDice(this.#chance, `${this.#purpose}/${part}`)
  }
}
