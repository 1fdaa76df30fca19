import * as z from 'zod/mini'
import { callsOut, may } from '../schema/fields.ts'
import { forEachSettings } from '../schema/known-names.ts'
import { durationSpec, text } from '../schema/values.ts'

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

/**
 * Named sets of quirks. `seed`: as the gateway's document says, and most useful where the document is silent. `upstream`: as the
 * widely used open-source gateway. `page`: for pages that show a video with nothing but its URL.
 */
export const profile = z.enum(['seed', 'upstream', 'page'])

/** The quirks of a gateway, which its APIs bring. */
export const quirksSchema = forEachSettings(({ quirks }) => z.strictObject(quirks))

const webhook = z.lazy(() =>
  z.strictObject({
    url: may(text(1), 'Where webhooks go, unless a submission names a URL.', 'http://127.0.0.1:3000/hook'),
    allow: may(z.array(text(1)), 'Hosts that get webhooks, apart from this machine.', ['hooks.internal']),
  }),
)

/** Where the webhooks of further APIs go. */
export const webhooks = callsOut(
  may(
    z.record(text(1, 40), webhook),
    'The webhooks of further APIs, by the name of the API. Default: those that their definitions send, on this machine.',
    { acme: { url: 'http://127.0.0.1:3000/hook' } },
  ),
)
