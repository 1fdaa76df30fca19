import { didYouMean } from '../engine/did-you-mean.ts'
import { recognizeCopies } from '../engine/shared-error.ts'
import { quirkValues } from '../scenario/vocabulary/config-schema-gateway.ts'
import type { Profile, Quirks } from '../scenario/vocabulary/types.ts'

const defaults = Object.fromEntries(
  Object.entries(quirkValues).map(([name, values]) => [name, values[0]]),
) as unknown as Quirks

/** Named sets of quirks. */
export const profiles = {
  /** What the gateway's document says, and the most useful where it is silent. */
  seed: defaults,
  /** As the widely used open-source gateway behaves. */
  upstream: {
    ...defaults,
    videoStatusStyle: 'upstream',
    contentRange: 'off',
    drawingContentType: 'text',
    unknownButtons: 'refuse',
    nativeErrorStyle: 'gateway',
    nativeModelStyle: 'gateway',
    clientErrorStatus: 500,
    modelsUnknownStatus: 200,
  },
  /** For pages that show a video by its URL alone. */
  page: { ...defaults, contentDelivery: 'redirect', contentAuth: 'optional' },
} as const satisfies Readonly<Record<Profile, Quirks>>

/**
 * A quirk or a profile that doesn't exist. The message names what there is.
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
 * The quirks of a profile, with those that were named one by one.
 * @throws {QuirkError} for an unknown name or value.
 */
export function quirksOf(profile: Profile = 'seed', named: Partial<Quirks> = {}): Quirks {
  const names = Object.keys(profiles)
  if (!names.includes(profile)) {
    throw new QuirkError(
      `There is no profile "${profile}".${didYouMean(profile, names)} Use ${names.join(', ')}.`,
    )
  }
  for (const [name, value] of Object.entries(named)) {
    const values: readonly (string | number)[] | undefined = Object.hasOwn(quirkValues, name)
      ? quirkValues[name as keyof Quirks]
      : undefined
    const known = Object.keys(quirkValues)
    if (!values)
      throw new QuirkError(`There is no quirk "${name}".${didYouMean(name, known)} Use ${known.join(', ')}.`)
    if (!values.includes(value))
      throw new QuirkError(`Quirk ${name} is "${value}". Use ${values.join(' or ')}.`)
  }
  return { ...profiles[profile], ...named }
}
