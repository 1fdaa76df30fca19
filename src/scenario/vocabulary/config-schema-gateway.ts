import * as z from 'zod/mini'
import { may } from '../schema/fields.ts'
import { durationSpec } from '../schema/values.ts'

/** What models make. */
export const modelKinds = ['video', 'text', 'embedding', 'drawing'] as const

/** Paces of tasks with a name. */
export const timingNames = ['instant', 'quick', 'realistic'] as const

export const timingName = z.enum(timingNames)
export const timingFigures = z.lazy(() =>
  z.strictObject({
    queued: may(durationSpec, 'How long tasks are queued.', '2s'),
    render: may(durationSpec, 'How long rendering takes.', { lognormal: { p50: '12s', p95: '24s' } }),
  }),
)

export const timingOption = z.lazy(() => z.union([timingName, timingFigures]))

/** A timing, or timings by model: which of the two is told by its keys. */
export const timing = z.lazy(() => z.union([timingName, timingFigures, z.record(z.string(), timingOption)]))

/** Named sets of quirks. */
export const profileNames = ['seed', 'upstream', 'page'] as const

export const profile = z.enum(profileNames)

/** Where gateways of this kind differ. The first value of each is the default. */
export const quirkValues = {
  videoStatusStyle: ['seed', 'upstream'],
  contentDelivery: ['direct', 'redirect'],
  contentRange: ['on', 'off'],
  contentAuth: ['required', 'optional'],
  drawingContentType: ['json', 'text'],
  unknownButtons: ['accept', 'refuse'],
  nativeErrorStyle: ['merged', 'gateway', 'vendor'],
  nativeModelStyle: ['vendor', 'gateway'],
  nativeStreamWithoutAlt: ['sse', 'json-array'],
  sseNewline: ['lf', 'crlf'],
  clientErrorStatus: [400, 500],
  usageByDefault: ['on', 'off'],
  modelsUnknownStatus: [404, 200],
} as const

type QuirkName = keyof typeof quirkValues

function quirk<Name extends QuirkName>(name: Name, description: string) {
  const values = quirkValues[name] as readonly (typeof quirkValues)[Name][number][]
  return may(z.literal([...values]), `${description} Default ${values[0]}.`, values.at(-1))
}

export const quirks = z.lazy(() =>
  z.strictObject({
    videoStatusStyle: quirk(
      'videoStatusStyle',
      "The status of a video before it renders: `queued`, or the gateway's own words.",
    ),
    contentDelivery: quirk('contentDelivery', 'Whether content is sent, or a link to it.'),
    contentRange: quirk('contentRange', 'Whether range requests for content are answered.'),
    contentAuth: quirk('contentAuth', 'Whether content needs a key.'),
    drawingContentType: quirk(
      'drawingContentType',
      'The media type of drawing submissions; the real gateway leaves it to be guessed from the bytes.',
    ),
    unknownButtons: quirk(
      'unknownButtons',
      'Whether buttons work that the gateway itself does not know, such as animate.',
    ),
    nativeErrorStyle: quirk(
      'nativeErrorStyle',
      "The envelope of errors on native routes: one that all clients read, the gateway's, or the vendor's.",
    ),
    nativeModelStyle: quirk(
      'nativeModelStyle',
      'How native models are listed: with what they can do, or by their names.',
    ),
    nativeStreamWithoutAlt: quirk(
      'nativeStreamWithoutAlt',
      'What a native stream is without `alt=sse`: events all the same, or an array.',
    ),
    sseNewline: quirk('sseNewline', 'The line ending of native events.'),
    clientErrorStatus: quirk('clientErrorStatus', "The status of a client's mistake on text routes."),
    usageByDefault: quirk('usageByDefault', 'Whether a chat stream ends with its usage by default.'),
    modelsUnknownStatus: quirk(
      'modelsUnknownStatus',
      'The status of the error for an unknown model in a listing.',
    ),
  }),
)
