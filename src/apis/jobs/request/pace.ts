import type { TimingName, Timing, TimingOptions } from '../../../scenario/vocabulary/types.ts'
import { fitsGlob } from '../../../engine/glob.ts'

/** The named paces. */
export const paces = {
  /** Finished at the first poll. */
  instant: { queued: '0s', render: '0s' },
  /** For manual tests: seconds to half a minute. */
  quick: {
    queued: { lognormal: { p50: '2s', p95: '5s', min: '500ms', max: '10s' } },
    render: { lognormal: { p50: '12s', p95: '24s', min: '4s', max: '30s' } },
  },
  /** Minutes, like a real service on a busy day. */
  realistic: {
    queued: { lognormal: { p50: '8s', p95: '45s', min: '1s', max: '5m' } },
    render: { lognormal: { p50: '90s', p95: '4m', min: '30s', max: '15m' } },
  },
} as const satisfies Readonly<Record<TimingName, Timing>>

/**
 * The pace of a model.
 * @returns its durations; empty if those of the lifecycle apply.
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
