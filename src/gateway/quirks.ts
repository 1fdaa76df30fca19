import { didYouMean } from '../engine/did-you-mean.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import { quirkValues } from '../scenario/vocabulary/config-schema-gateway.ts'
import type { Profile, Quirks } from '../scenario/vocabulary/types.ts'

/** Named sets of quirks, as differences from the defaults. */
const profiles: Readonly<Record<Profile, Partial<Quirks>>> = {
  /** Behaves as the gateway's document says, and in the most useful way where the document is silent. */
  seed: {},
  /** Behaves as the widely used open-source gateway. */
  upstream: {
    videoStatusStyle: 'upstream',
    contentRange: 'off',
    contentVariants: 'off',
    drawingContentType: 'text',
    unknownButtons: 'refuse',
    numericIds: 'refuse',
    nativeErrorStyle: 'gateway',
    nativeModelStyle: 'gateway',
    clientErrorStatus: 500,
    modelsUnknownStatus: 200,
  },
  /** For pages that show a video with nothing but its URL. */
  page: { contentDelivery: 'redirect', contentAuth: 'optional' },
}

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
export function quirksOf(profile: Profile = 'seed', named: Partial<Quirks> = {}): Quirks {
  const names = Object.keys(profiles)
  if (!names.includes(profile)) {
    throw new QuirkError(
      `There is no profile "${profile}".${didYouMean(profile, names)} Use ${names.join(', ')}.`,
    )
  }
  const values = quirkValues()
  for (const [name, value] of Object.entries(named)) {
    const known = Object.keys(values)
    if (!known.includes(name))
      throw new QuirkError(`There is no quirk "${name}".${didYouMean(name, known)} Use ${known.join(', ')}.`)
    if (!values[name]!.includes(value))
      throw new QuirkError(`Quirk ${name} is "${value}". Use ${values[name]!.join(' or ')}.`)
  }
  const defaults = Object.fromEntries(Object.entries(values).map(([name, [first]]) => [name, first]))
  return { ...(defaults as unknown as Quirks), ...profiles[profile], ...named }
}
