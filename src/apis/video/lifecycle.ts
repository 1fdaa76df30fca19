import type { TimingName, Timing, TimingOptions } from '../../scenario/vocabulary/types.ts'
import { fitsGlob } from '../../engine/glob.ts'
import { defineLifecycle } from '../../engine/tasks/lifecycle.ts'
import type { ObservedState } from '../define/flow.ts'

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

/**
 * The states of a video task (§3.1): queued, then IN_PROGRESS, then SUCCESS or FAILURE, always in this order. A config
 * file may replace the durations.
 *
 * @assumed §3.1 progress between 0 and 100 is undocumented; wire §3.3: 30 % when rendering starts, 100 % on FAILURE.
 */
export const videoLifecycle = defineLifecycle(
  'video',
  {
    initial: 'queued',
    states: {
      queued: {
        after: paces.quick.queued,
        progress: 0,
        to: 'IN_PROGRESS',
      },
      IN_PROGRESS: {
        after: paces.quick.render,
        progress: { from: 30, to: 99 },
        to: { SUCCESS: 1, FAILURE: 0 },
      },
      SUCCESS: { final: true, progress: 100 },
      FAILURE: { final: true, progress: 100 },
    },
  },
  { queue: 'queued', work: 'IN_PROGRESS', success: 'SUCCESS', failure: 'FAILURE' },
)

const { queue, work, success, failure } = videoLifecycle.roles

/** The states of video tasks, by the words of this API, of OpenAI's, and of gateways that pass on the words of others. */
const states: Readonly<Record<string, string>> = {
  not_start: queue,
  submitted: queue,
  queued: queue,
  in_progress: work,
  processing: work,
  success,
  completed: success,
  failure,
  failed: failure,
}

/** Reads the record in a poll of a real gateway. */
export function readVideoState(record: Readonly<Record<string, unknown>>): ObservedState | undefined {
  const { status, progress, fail_reason: reason, error } = record
  const known = typeof status === 'string' ? states[status.toLowerCase()] : undefined
  if (known === undefined) return undefined
  return { status: known, progress, reason: reason || (error as { message?: unknown } | null)?.message }
}
