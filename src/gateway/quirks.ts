import { didYouMean } from '../engine/did-you-mean.ts'
import { recognizeCopies } from '../engine/shared-error.ts'

/** Where gateways of this kind differ. The first value of each is the default. */
export const quirkValues = {
  /** How a task before its rendering is called: `queued`, or by the gateway's own words. */
  videoStatusStyle: ['seed', 'upstream'],
  /** Whether content is sent, or a link to it. */
  contentDelivery: ['direct', 'redirect'],
  /** Whether range requests for content are answered. */
  contentRange: ['on', 'off'],
  /** Whether `?variant=thumbnail` and `spritesheet` give pictures; the gateway ignores them and sends the video. */
  contentVariants: ['on', 'off'],
  /** Whether content needs a key. */
  contentAuth: ['required', 'optional'],
  /** The media type of drawing submissions; the real gateway leaves it to be guessed from the bytes. */
  drawingContentType: ['json', 'text'],
  /** Whether buttons work that the gateway itself can't read, such as animate. */
  unknownButtons: ['accept', 'refuse'],
  /** Whether a list of drawings takes ids that are numbers. */
  numericIds: ['accept', 'refuse'],
  /** In whose envelope native routes refuse: one that both kinds of clients read, the gateway's, or the vendor's. */
  nativeErrorStyle: ['merged', 'gateway', 'vendor'],
  /** How native models are listed: with what they can do, or by their names, as the gateway does. */
  nativeModelStyle: ['vendor', 'gateway'],
  /** What a native stream is without `alt=sse`: events all the same, or an array. */
  nativeStreamWithoutAlt: ['sse', 'json-array'],
  /** What ends the lines of native events. */
  sseNewline: ['lf', 'crlf'],
  /** The status of a mistake that the gateway's text handlers find; it really says 500. */
  clientErrorStatus: [400, 500],
  /** Whether a chat stream ends with its usage by default. */
  usageByDefault: ['on', 'off'],
  /** The status that goes with the error for an unknown model in a listing. */
  modelsUnknownStatus: [404, 200],
} as const

/**
 * How a gateway behaves where gateways differ, each with the values that {@link quirkValues} lists.
 *
 * @example
 * const quirks: Partial<Quirks> = { contentDelivery: 'redirect', sseNewline: 'crlf' }
 * await using sim = createSimulator({ profile: 'upstream', quirks })
 */
export type Quirks = { readonly [Name in keyof typeof quirkValues]: (typeof quirkValues)[Name][number] }

const defaults: Quirks = {
  videoStatusStyle: 'seed',
  contentDelivery: 'direct',
  contentRange: 'on',
  contentVariants: 'on',
  contentAuth: 'required',
  drawingContentType: 'json',
  unknownButtons: 'accept',
  numericIds: 'accept',
  nativeErrorStyle: 'merged',
  nativeModelStyle: 'vendor',
  nativeStreamWithoutAlt: 'sse',
  sseNewline: 'lf',
  clientErrorStatus: 400,
  usageByDefault: 'on',
  modelsUnknownStatus: 404,
}

/** Named sets of quirks. */
export const profiles = {
  /** What the gateway's document says, and the most useful where it is silent. */
  seed: defaults,
  /** As the widely used open-source gateway behaves. */
  upstream: {
    ...defaults,
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
  /** For pages that show a video by its URL alone. */
  page: { ...defaults, contentDelivery: 'redirect', contentAuth: 'optional' },
} as const satisfies Readonly<Record<string, Quirks>>

/**
 * A set of quirks by its name.
 *
 * @example
 * const profiles: Profile[] = ['seed', 'upstream', 'page']
 * for (const profile of profiles) await createSimulator({ profile }).close()
 */
export type Profile = keyof typeof profiles

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
