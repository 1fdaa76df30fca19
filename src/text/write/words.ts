import type { Faker } from '@faker-js/faker'
import type { Rng } from './rng.ts'

/**
 * Invented names, places and things from `@faker-js/faker`, drawn by key: what one call gives depends on nothing
 * that was drawn before it.
 *
 * @example
 * import { rngFor } from './rng.ts'
 * const words = await loadWords()
 * const chance = { draws: sim.core.draws, subject: 'a request', n: 0 }
 * words(rngFor(chance, 'prose'), (faker) => faker.location.city()) // → 'East Ariville'
 */
export type Words = <Made>(dice: Rng, make: (faker: Faker) => Made) => Made

/**
 * Loads the English word lists. The first call costs some 30 ms, so it belongs in a prepare step.
 *
 * The instance is our own: the one that the package shares may be seeded and used by the tests of our user.
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

  return (dice, make) => {
    let drawn = 0
    next = () => dice.unit(`word/${drawn++}`)
    return make(faker)
  }
}

/** A town that exists: invented names of towns read oddly in a sentence. */
export function townOf(faker: Faker): string {
  return faker.helpers.arrayElement(faker.definitions.location.city_name ?? ['Oslo'])
}
