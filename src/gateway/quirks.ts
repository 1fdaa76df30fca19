import { didYouMean } from '../engine/did-you-mean.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import type { ApiSettings } from '../engine/operations/operation-table.ts'
import { hintOf } from '../scenario/schema/fields.ts'
import { literalsOf } from '../scenario/schema/schema-walk.ts'
import { profile as profileSchema } from '../scenario/vocabulary/config-schema-gateway.ts'
import type { Profile, Quirks } from '../scenario/vocabulary/types.ts'

/**
 * Thrown for an unknown quirk or profile. The message lists the valid ones.
 *
 * @example
 * const profile = 'sed' as Profile
 * createSimulator({ profile }) // throws QuirkError: There is no profile "sed". Did you mean "seed"? …
 */
export class QuirkError extends Error {
  static {
    recognizeCopies(this, 'QuirkError')
  }

  override name = 'QuirkError'
}

/**
 * The quirks of a profile, overridden by the given ones.
 * @throws {QuirkError} for an unknown name or value.
 */
export function quirksOf(
  { quirks }: Pick<ApiSettings, 'quirks'>,
  profile: Profile = 'seed',
  named: Partial<Quirks> = {},
): Quirks {
  const profiles = literalsOf(profileSchema).map(String)
  if (!profiles.includes(profile)) {
    throw new QuirkError(
      `There is no profile "${profile}".${didYouMean(profile, profiles)} Use ${profiles.join(', ')}.`,
    )
  }
  const known = Object.keys(quirks)
  for (const [name, value] of Object.entries(named)) {
    if (!known.includes(name))
      throw new QuirkError(`There is no quirk "${name}".${didYouMean(name, known)} Use ${known.join(', ')}.`)
    const values = literalsOf(quirks[name]!)
    if (!values.includes(value))
      throw new QuirkError(`Quirk ${name} is "${value}". Use ${values.join(' or ')}.`)
  }
  const chosen = Object.entries(quirks).map(([name, schema]) => {
    const [first] = literalsOf(schema)
    return [name, hintOf(schema).profiles[profile] ?? first]
  })
  return { ...(Object.fromEntries(chosen) as Quirks), ...named }
}
