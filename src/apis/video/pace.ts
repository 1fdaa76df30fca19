import type { DurationSpec } from '../../engine/random/distribution.ts'
import { fitsGlob } from '../../engine/glob.ts'

/**
 * How long tasks queue and render.
 *
 * @example
 * const timing: Timing = { queued: '1s', render: { uniform: ['10s', '1m'] } }
 * await using sim = createSimulator({ timing })
 */
export interface Timing {
  readonly queued: DurationSpec
  readonly render: DurationSpec
}

/** The paces that have a name. */
export const paces = {
  /** Done as soon as anybody looks. */
  instant: { queued: '0s', render: '0s' },
  /** For people who wait: seconds to half a minute. */
  quick: {
    queued: { lognormal: { p50: '2s', p95: '5s', min: '500ms', max: '10s' } },
    render: { lognormal: { p50: '12s', p95: '24s', min: '4s', max: '30s' } },
  },
  /** As such services are on a busy day: minutes. */
  realistic: {
    queued: { lognormal: { p50: '8s', p95: '45s', min: '1s', max: '5m' } },
    render: { lognormal: { p50: '90s', p95: '4m', min: '30s', max: '15m' } },
  },
} as const satisfies Readonly<Record<string, Timing>>

/** A pace by name, or by its durations. */
export type TimingName = keyof typeof paces
/**
 * A pace by its name, or by its durations; what is left out is as the lifecycle has it.
 *
 * @example
 * const byName: TimingOption = 'quick'
 * const rendersSlowly: TimingOption = { render: '3m' }
 * await using sim = createSimulator({ timing: { 'draft-*': byName, '*': rendersSlowly } })
 */
export type TimingOption = TimingName | Partial<Timing>

/**
 * Which pace goes for which models: patterns, the first that fits counts.
 *
 * @example
 * const timing: TimingOptions = { 'video-fast-*': 'instant', 'video-*': 'realistic' }
 * await using sim = createSimulator({ timing })
 * const client = new MyClient({ fetch: sim.fetch })
 * const { status } = await client.pollVideo(await client.submitVideo('a red kite', 'video-fast-2'))
 * status // → 'SUCCESS'
 */
export type TimingOptions = TimingOption | Readonly<Record<string, TimingOption>>

/**
 * The pace of a model.
 * @returns what it says of queueing and rendering; empty where the lifecycle's own times go.
 */
export function paceOf(options: TimingOptions | undefined, model: string): Partial<Timing> {
  if (options === undefined) return {}
  if (typeof options === 'string') return paces[options]
  if (isPace(options)) return options
  const [, chosen] = Object.entries(options).find(([pattern]) => fitsGlob(pattern, model)) ?? []
  return chosen === undefined ? {} : typeof chosen === 'string' ? paces[chosen] : chosen
}

function isPace(options: object): options is Partial<Timing> {
  return Object.keys(options).every((name) => name === 'queued' || name === 'render')
}
