import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import { paceOf, type Timing, type TimingOptions } from '../video/pace.ts'

/** How fast a drawing is wanted. */
export type Mode = 'fast' | 'relax' | 'turbo'

/** How long tasks queue and are drawn, by mode: for people who wait. */
export const drawingPaces: Readonly<Record<Mode, Timing>> = {
  turbo: {
    queued: { lognormal: { p50: '300ms', p95: '800ms', max: '2s' } },
    render: { lognormal: { p50: '4s', p95: '7s', min: '2s', max: '10s' } },
  },
  fast: {
    queued: { lognormal: { p50: '1s', p95: '3s', min: '300ms', max: '6s' } },
    render: { lognormal: { p50: '9s', p95: '16s', min: '4s', max: '25s' } },
  },
  relax: {
    queued: { lognormal: { p50: '8s', p95: '25s', min: '2s', max: '1m' } },
    render: { lognormal: { p50: '20s', p95: '40s', min: '8s', max: '90s' } },
  },
}

/**
 * How long a task takes: what the config says of its model wins over what its mode says.
 * @param model what the gateway bills it as, such as `mj_imagine`.
 */
export function drawingPace(mode: Mode, model: string, configured: TimingOptions | undefined): TaskShape {
  // A tile that stands in a grid already only has to be cut out (wire §7.6).
  const usual: TaskShape =
    model === 'mj_upscale' ? { queued: '200ms', render: '1s' } : mode === 'fast' ? {} : drawingPaces[mode]
  return { ...usual, ...paceOf(configured, model) }
}

/**
 * The mode of a request: the path's prefix wins over the account filter, and that over the prompt's flag.
 *
 * @assumed §4.4 modes are not shown; wire §7.1 and §7.2.
 * @param target the request's path.
 * @param filtered what `accountFilter.modes` begins with, where it is taken.
 * @param flagged what the prompt says.
 */
export function modeOf(target: string, filtered: unknown, flagged: Mode | undefined): Mode {
  const prefix = /^(?:\/ns\/[^/]+)?\/(?:mj-)?(fast|relax|turbo)\//.exec(target)?.[1]
  const named = typeof filtered === 'string' ? filtered.toLowerCase() : undefined
  return [prefix, named, flagged].find(isMode) ?? 'fast'
}

function isMode(name: string | undefined): name is Mode {
  return name === 'fast' || name === 'relax' || name === 'turbo'
}
