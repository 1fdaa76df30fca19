import type { Faker } from '@faker-js/faker'
import type { TextChance } from '../spec.ts'

/** Keyed draws for one part of an answer: the same key always gives the same values. */
export interface Rng {
  /** A number in [0, 1). */
  unit(key: string): number
  /** A whole number from 0 to `below` - 1. */
  integer(below: number, key: string): number
  pick<Item>(items: readonly Item[], key: string): Item
  /** Independent draws for a smaller part. */
  of(part: string): Rng
}

/** @param purpose the part of the answer, such as `prose`. */
export function rngFor(chance: TextChance, purpose: string): Rng {
  return new KeyedRng(chance, purpose)
}

/** Stores only a name, because one answer creates many of these. */
class KeyedRng implements Rng {
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
    return new KeyedRng(this.#chance, `${this.#purpose}/${part}`)
  }
}
/**
 * Invented names, places and things from `@faker-js/faker`, drawn by key. The result of a call does not depend on earlier
 * draws.
 *
 * @example
 * const words = await loadWords()
 * const chance = { draws: sim.core.draws, subject: 'a request', n: 0 }
 * words(rngFor(chance, 'prose'), (faker) => faker.location.city()) // → 'East Ariville'
 */
export type Words = <Made>(rng: Rng, make: (faker: Faker) => Made) => Made

/**
 * Loads the English word lists. The first call takes some 30 ms, so it belongs in a prepare step.
 *
 * The instance is separate, because the user's tests may seed and use the package's shared one.
 */
export async function loadWords(): Promise<Words> {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  let next = (): number => 0
  const Instance = shared.constructor as new (options: {
    locale: unknown
    randomizer: { next(): number; seed(): void }
  }) => Faker
  const faker = new Instance({
    locale: shared.rawDefinitions,
    randomizer: { next: () => next(), seed: () => undefined },
  })

  return (rng, make) => {
    let drawn = 0
    next = () => rng.unit(`word/${drawn++}`)
    return make(faker)
  }
}

/** The name of a real town, because invented names of towns read oddly in a sentence. */
export function townOf(faker: Faker): string {
  return faker.helpers.arrayElement(faker.definitions.location.city_name ?? ['Oslo'])
}
