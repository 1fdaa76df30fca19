import * as z from 'zod/mini'
import { quirkValues, type Quirks } from '../../gateway/quirks.ts'
import { paces } from '../../apis/video/lifecycle.ts'
import { may } from './fields.ts'
import { durationSpec } from './values.ts'

const timingNames = Object.keys(paces) as (keyof typeof paces)[]
const timingFigures = z.lazy(() =>
  z.strictObject({
    queued: may(durationSpec, 'How long tasks wait.', '2s'),
    render: may(durationSpec, 'How long the work takes.', { lognormal: { p50: '12s', p95: '24s' } }),
  }),
)

/** A timing, or timings by model: which of the two is told by its keys. */
export const timing = z.lazy(() =>
  z.union([
    z.enum(timingNames),
    timingFigures,
    z.record(z.string(), z.union([z.enum(timingNames), timingFigures])),
  ]),
)

const words: Readonly<Record<keyof Quirks, string>> = {
  videoStatusStyle: "How a task before its rendering is called: `queued`, or by the gateway's own words.",
  contentDelivery: 'Whether content is sent, or a link to it.',
  contentRange: 'Whether content can be asked for in parts.',
  contentVariants: 'Whether `?variant=thumbnail` and `spritesheet` give pictures, or are ignored.',
  contentAuth: 'Whether content needs a key.',
  drawingContentType: 'The media type of drawing submissions.',
  unknownButtons: "Whether buttons work that the gateway itself can't read, such as animate.",
  numericIds: 'Whether a list of drawings takes ids that are numbers.',
  nativeErrorStyle:
    "In whose envelope native routes refuse: one that all clients read, the gateway's, or the vendor's.",
  nativeModelStyle: 'How native models are listed: with what they can do, or by their names.',
  nativeStreamWithoutAlt: 'What a native stream is without `alt=sse`.',
  sseNewline: 'What ends the lines of native events.',
  clientErrorStatus: "The status of a client's mistake on text routes.",
  usageByDefault: 'Whether a chat stream tells its usage when nobody asked.',
  modelsUnknownStatus: 'The status that goes with the error for an unknown model in a listing.',
}

function quirk<Name extends keyof Quirks>(name: Name) {
  const values = quirkValues[name] as readonly (typeof quirkValues)[Name][number][]
  return may(z.literal([...values]), `${words[name]} Default ${values[0]}.`, values.at(-1))
}

export const quirks = z.lazy(() =>
  z.strictObject({
    videoStatusStyle: quirk('videoStatusStyle'),
    contentDelivery: quirk('contentDelivery'),
    contentRange: quirk('contentRange'),
    contentVariants: quirk('contentVariants'),
    contentAuth: quirk('contentAuth'),
    drawingContentType: quirk('drawingContentType'),
    unknownButtons: quirk('unknownButtons'),
    numericIds: quirk('numericIds'),
    nativeErrorStyle: quirk('nativeErrorStyle'),
    nativeModelStyle: quirk('nativeModelStyle'),
    nativeStreamWithoutAlt: quirk('nativeStreamWithoutAlt'),
    sseNewline: quirk('sseNewline'),
    clientErrorStatus: quirk('clientErrorStatus'),
    usageByDefault: quirk('usageByDefault'),
    modelsUnknownStatus: quirk('modelsUnknownStatus'),
  }),
)
