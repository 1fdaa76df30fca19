import { defineLifecycle } from '../../engine/tasks/lifecycle.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import { paceOf } from '../jobs/request/pace.ts'
import type { Timing, TimingOptions } from '../../scenario/vocabulary/types.ts'
import type { OperationFacts, Role } from '../../engine/operations/facts.ts'

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
 * The timing of a task. The configured pace of its model overrides its mode.
 * @param model its billing name, such as `mj_imagine`.
 */
export function drawingPace(mode: Mode, model: string, configured: TimingOptions | undefined): TaskShape {
  // A tile only has to be cropped from its grid (wire §7.6).
  const byMode: TaskShape =
    model === 'mj_upscale' ? { queued: '200ms', render: '1s' } : mode === 'fast' ? {} : drawingPaces[mode]
  return { ...byMode, ...paceOf(configured, model) }
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

/**
 * The states of a drawing task (§3.2), which ends in SUCCESS or FAILURE. A task with a dialog first waits in MODAL for
 * `mj.modal`, and fails without it.
 *
 * @assumed §3.2 the states before the end are undocumented; wire §7.6: NOT_START, SUBMITTED, IN_PROGRESS with the
 * percentages of the drawing bot, and 100 % on FAILURE.
 */
export const drawingLifecycle = defineLifecycle(
  'drawing',
  {
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
  },
  { queue: 'NOT_START', work: 'IN_PROGRESS', success: 'SUCCESS', failure: 'FAILURE' },
)

/** The facts of an operation of the channel (§4.4–4.6), whose path may also name a mode. */
export function drawingFacts(role: Role, route: string): OperationFacts {
  return { role, tasks: 'drawing', route, aliases: pathsWithMode(route.slice(route.indexOf('/mj/') + 3)) }
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
