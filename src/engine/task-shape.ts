import type { DurationSpec } from './distribution.ts'

/** What may be asked of a task when it is submitted; what is left out is drawn from the lifecycle. */
export interface TaskShape {
  /** How long it waits before the work begins. */
  queued?: DurationSpec
  /** How long the work takes. */
  render?: DurationSpec
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

/** One line of a timeline: what the task becomes after so long, counted from its submission or from a wait's end; or whom it waits for. */
export type TimelineStep =
  | { after: DurationSpec; status?: string; progress?: number | string }
  | { waitFor: string; timeout?: DurationSpec; reason?: string }
