import type { DurationSpec } from '../random/distribution.ts'

/**
 * What may be asked of a task when it is submitted; what is left out is drawn from the lifecycle.
 *
 * @example
 * const task: TaskShape = { queued: '1s', render: '10s', outcome: 'failure', failAt: '40%', reason: 'policy' }
 * sim.addRule({ match: { op: 'video.submit' }, on: 2, task })
 */
export interface TaskShape {
  /** How long it waits before the work begins. */
  queued?: DurationSpec
  /** How long the work takes. */
  render?: DurationSpec
  /** How it ends; by default as the lifecycle's weights fall. */
  outcome?: 'success' | 'failure'
  /** At which share of the work a failure ends it: 0 to 1, or a percentage. */
  failAt?: number | string
  /** The reason of a failure. */
  reason?: string
  /** After how long, counted from its submission, a task that hasn't ended fails, and why. */
  expire?: { after: DurationSpec; reason?: string }
  /** What happens instead of all that: states and percentages in their times. */
  timeline?: readonly TimelineStep[]
  /** Lets the timeline leave the documented order of states. */
  unsafe?: boolean
}

/**
 * One line of a timeline: what the task becomes after so long, counted from its submission or from a wait's end; or whom it waits for.
 *
 * @example
 * const timeline: TimelineStep[] = [
 *   { after: '1s', status: 'IN_PROGRESS', progress: '10%' },
 *   { after: '30s', progress: '90%' },
 *   { after: '2m', status: 'SUCCESS' },
 * ]
 * sim.addRule({ match: { op: 'video.submit' }, task: { timeline } })
 */
export type TimelineStep =
  | { after: DurationSpec; status?: string; progress?: number | string }
  | { waitFor: string; timeout?: DurationSpec; reason?: string }
