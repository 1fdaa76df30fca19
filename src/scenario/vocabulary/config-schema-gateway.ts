import * as z from 'zod/mini'
import { may } from '../schema/fields.ts'
import { forEachSettings } from '../schema/known-names.ts'
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

/**
 * Named sets of quirks. `seed`: as the gateway's document says, and most useful where the document is silent. `upstream`: as the
 * widely used open-source gateway. `page`: for pages that show a video with nothing but its URL.
 */
export const profile = z.enum(['seed', 'upstream', 'page'])

/** The quirks of a gateway, which its APIs bring. */
export const quirksSchema = forEachSettings(({ quirks }) => z.strictObject(quirks))
