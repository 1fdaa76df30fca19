import * as z from 'zod/mini'
import { may } from '../schema/fields.ts'
import { literalsOf } from '../schema/schema-walk.ts'
import { durationSpec } from '../schema/values.ts'

/** Named timings of tasks. */
const timingNames = ['instant', 'quick', 'realistic'] as const

export const timingName = z.enum(timingNames)
export const timingFigures = z.lazy(() =>
  z.strictObject({
    queued: may(durationSpec, 'The time in the queue.', '2s'),
    render: may(durationSpec, 'The render time.', { lognormal: { p50: '12s', p95: '24s' } }),
  }),
)

export const timingOption = z.lazy(() => z.union([timingName, timingFigures]))

/** A timing, or timings by model. The keys distinguish them. */
export const timing = z.lazy(() => z.union([timingName, timingFigures, z.record(z.string(), timingOption)]))

/** Named sets of quirks. */
export const profile = z.enum(['seed', 'upstream', 'page'])

/** A behaviour that differs between gateways. @param values the first is the default. */
function quirk<const Values extends readonly (string | number)[]>(values: Values, description: string) {
  const known: readonly Values[number][] = values
  return may(z.literal([...known]), `${description} Default ${values[0]}.`, values.at(-1))
}

export const quirks = z.lazy(() =>
  z.strictObject({
    videoStatusStyle: quirk(
      ['seed', 'upstream'],
      "The status of a video before it renders: `queued` (`seed`), or the gateway's own `NOT_START`, `SUBMITTED`, `QUEUED`.",
    ),
    openaiVideoStyle: quirk(
      ['gateway', 'openai'],
      "The JSON of a video in the Videos API: the gateway's, with `task_id`, `usage` and `metadata`, or exactly OpenAI's `Video`.",
    ),
    contentDelivery: quirk(
      ['direct', 'redirect'],
      'Whether a download returns the video, or a redirect to it.',
    ),
    contentRange: quirk(['on', 'off'], 'Whether range requests for downloads work.'),
    contentVariants: quirk(
      ['on', 'off'],
      'Whether `?variant=thumbnail` and `spritesheet` return images; the real gateway ignores them and sends the video.',
    ),
    contentAuth: quirk(['required', 'optional'], 'Whether downloads need a key.'),
    drawingContentType: quirk(
      ['json', 'text'],
      'The media type of responses to drawing submissions. The real gateway does not set it, which results in `text`.',
    ),
    unknownButtons: quirk(
      ['accept', 'refuse'],
      'Whether a button works although the real gateway cannot read it, such as animate.',
    ),
    numericIds: quirk(
      ['accept', 'refuse'],
      'Whether `/mj/task/list-by-condition` accepts numbers as ids: `[123]` for `["123"]`.',
    ),
    nativeErrorStyle: quirk(
      ['merged', 'gateway', 'vendor'],
      "The envelope of errors on native routes: the gateway's, the vendor's, or one that clients of both can read (`merged`).",
    ),
    nativeModelStyle: quirk(
      ['vendor', 'gateway'],
      'Whether the list of native models contains their capabilities (`vendor`), or only names.',
    ),
    nativeStreamWithoutAlt: quirk(
      ['sse', 'json-array'],
      'The format of a native stream without `alt=sse`: events, or a JSON array.',
    ),
    sseNewline: quirk(['lf', 'crlf'], 'The line ending of the events of streamed texts.'),
    clientErrorStatus: quirk(
      [400, 500],
      'The status of invalid requests that the gateway itself refuses, on text routes.',
    ),
    usageByDefault: quirk(['on', 'off'], 'Whether a chat stream reports its usage without `stream_options`.'),
    modelsUnknownStatus: quirk([404, 200], 'The status of `GET /v1/models/{name}` for an unknown model.'),
  }),
)

/** The values of each quirk; the first is the default. */
export function quirkValues(): Readonly<Record<string, readonly unknown[]>> {
  const { shape } = quirks._zod.innerType
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, literalsOf(schema)]))
}
