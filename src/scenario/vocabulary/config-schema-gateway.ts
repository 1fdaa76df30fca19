import * as z from 'zod/mini'
import { may } from '../schema/fields.ts'
import { wordsOf } from '../schema/schema-walk.ts'
import { durationSpec } from '../schema/values.ts'

/** The output kinds of models. */
export const modelKinds = ['video', 'text', 'embedding', 'drawing'] as const

/** Named timings of tasks. */
export const timingNames = ['instant', 'quick', 'realistic'] as const

export const timingName = z.enum(timingNames)
export const timingFigures = z.lazy(() =>
  z.strictObject({
    queued: may(durationSpec, 'How long tasks are queued.', '2s'),
    render: may(durationSpec, 'How long rendering takes.', { lognormal: { p50: '12s', p95: '24s' } }),
  }),
)

export const timingOption = z.lazy(() => z.union([timingName, timingFigures]))

/** A timing, or timings by model: the keys tell them apart. */
export const timing = z.lazy(() => z.union([timingName, timingFigures, z.record(z.string(), timingOption)]))

/** Named sets of quirks. */
export const profile = z.enum(['seed', 'upstream', 'page'])

/** A difference between gateways of this kind. @param values the first is the default. */
function quirk<const Values extends readonly (string | number)[]>(values: Values, description: string) {
  const known: readonly Values[number][] = values
  return may(z.literal([...known]), `${description} Default ${values[0]}.`, values.at(-1))
}

export const quirks = z.lazy(() =>
  z.strictObject({
    videoStatusStyle: quirk(
      ['seed', 'upstream'],
      "The status of a video before it renders: `queued`, or the gateway's own words.",
    ),
    openaiVideoStyle: quirk(
      ['gateway', 'openai'],
      "The form of a video of the Videos API: the gateway's, without empty fields, or OpenAI's own.",
    ),
    contentDelivery: quirk(['direct', 'redirect'], 'Whether content is sent, or a link to it.'),
    contentRange: quirk(['on', 'off'], 'Whether range requests for content are answered.'),
    contentVariants: quirk(
      ['on', 'off'],
      'Whether `?variant=thumbnail` and `spritesheet` give images; the gateway ignores them and sends the video.',
    ),
    contentAuth: quirk(['required', 'optional'], 'Whether content needs a key.'),
    drawingContentType: quirk(
      ['json', 'text'],
      'The media type of drawing submissions; the real gateway leaves it to be guessed from the bytes.',
    ),
    unknownButtons: quirk(
      ['accept', 'refuse'],
      'Whether buttons work that the gateway itself does not know, such as animate.',
    ),
    numericIds: quirk(['accept', 'refuse'], 'Whether a list of drawings takes ids that are numbers.'),
    nativeErrorStyle: quirk(
      ['merged', 'gateway', 'vendor'],
      "The envelope of errors on native routes: one that all clients read, the gateway's, or the vendor's.",
    ),
    nativeModelStyle: quirk(
      ['vendor', 'gateway'],
      'How native models are listed: with what they can do, or by their names.',
    ),
    nativeStreamWithoutAlt: quirk(
      ['sse', 'json-array'],
      'What a native stream is without `alt=sse`: events all the same, or an array.',
    ),
    sseNewline: quirk(['lf', 'crlf'], 'The line ending of the events of streamed texts.'),
    clientErrorStatus: quirk([400, 500], "The status of a client's mistake on text routes."),
    usageByDefault: quirk(['on', 'off'], 'Whether a chat stream ends with its usage by default.'),
    modelsUnknownStatus: quirk([404, 200], 'The status of the error for an unknown model in a listing.'),
  }),
)

/** The values of each quirk; the first is the default. */
export function quirkValues(): Readonly<Record<string, readonly unknown[]>> {
  const { shape } = quirks._zod.innerType
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, wordsOf(schema)]))
}
