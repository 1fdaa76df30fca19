import type { LifecycleDefinition } from '../../engine/tasks/lifecycle.ts'
import type { Timing } from '../../scenario/vocabulary/types.ts'

/** How fast a drawing is made. */
export const drawingModes = ['fast', 'relax', 'turbo'] as const
export type Mode = (typeof drawingModes)[number]

/** How long tasks wait and render, by mode. Short enough for manual tests. */
const drawingPaces: Readonly<Record<Mode, Timing>> = {
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
 * The pace of a task, unless the config has one for its model.
 * @param model its billing name, such as `mj_imagine`.
 */
export function paceOf(mode: Mode, model: string): Partial<Timing> {
  // A tile only has to be cropped from its grid (wire §7.6).
  if (model === 'mj_upscale') return { queued: '200ms', render: '1s' }
  return mode === 'fast' ? {} : drawingPaces[mode]
}

/**
 * The mode of a request: from its path, otherwise from the prompt's flag.
 *
 * @assumed §4.4 modes are undocumented; wire §7.1 and §7.2.
 * @param flagged the mode in the prompt.
 */
export function modeOf(path: string, flagged: Mode | undefined): Mode {
  const prefix = /^\/(?:mj-)?(fast|relax|turbo)\//.exec(path)?.[1]
  return isMode(prefix) ? prefix : (flagged ?? 'fast')
}

function isMode(name: string | undefined): name is Mode {
  return name === 'fast' || name === 'relax' || name === 'turbo'
}

/** The states of a drawing task by their roles (§3.2). */
export const states = {
  queue: 'NOT_START',
  work: 'IN_PROGRESS',
  success: 'SUCCESS',
  failure: 'FAILURE',
} as const

/**
 * All states. A task with a dialog first waits in MODAL for `mj.modal`, and fails without it.
 *
 * @assumed §3.2 the states before the end are undocumented; wire §7.6: NOT_START, SUBMITTED, IN_PROGRESS with the
 * percentages of the drawing bot, and 100 % on FAILURE.
 */
export const lifecycle: LifecycleDefinition = {
  initial: 'NOT_START',
  states: {
    NOT_START: { after: drawingPaces.fast.queued, to: 'SUBMITTED', progress: 0 },
    MODAL: {
      on: 'mj.modal',
      timeout: '5m',
      expires: 'FAILURE',
      expiryReason: '任务超时',
      to: 'SUBMITTED',
      progress: 0,
    },
    SUBMITTED: { after: '1s', to: 'IN_PROGRESS', progress: 0 },
    IN_PROGRESS: {
      after: drawingPaces.fast.render,
      progress: [0, 15, 31, 46, 62, 78, 93],
      to: { SUCCESS: 1, FAILURE: 0 },
    },
    SUCCESS: { final: true, progress: 100 },
    FAILURE: { final: true, progress: 100 },
  },
}

/** The route of an operation of the channel (§4.4–4.6), whose path may also name a mode. */
export function routeOf(route: string): { readonly route: string; readonly also: readonly string[] } {
  return { route, also: pathsWithMode(route.slice(route.indexOf('/mj/') + 3)) }
}

/**
 * The same path with a mode in front, in each of the ways that clients write it.
 * @assumed §9 modes in the path are undocumented; wire §7.1.
 */
function pathsWithMode(path: string): string[] {
  return [
    `/{mode}/mj${path}`,
    ...drawingModes.flatMap((mode) => [`/mj-${mode}${path}`, `/mj-${mode}/mj${path}`]),
  ]
}
