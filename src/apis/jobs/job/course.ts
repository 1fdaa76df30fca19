import type { Draws } from '../../../engine/random/draws.ts'
import type { DurationSpec } from '../../../engine/random/distribution.ts'
import type { TaskShape } from '../../../engine/tasks/plan-task.ts'
import type { TaskRecord } from '../../../engine/tasks/plan.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { TimingOptions } from '../../../scenario/vocabulary/types.ts'
import { paceOf } from '../request/pace.ts'

/**
 * How a job is to pass its states.
 *
 * @example
 * const course: JobCourse = { begins: 'review', pace: { render: '20s' } }
 */
export interface JobCourse {
  /** The state in which it begins, if that is not the first one: one that waits for a request. */
  readonly begins?: string | undefined
  /** Why it will fail. Default: rules and directives decide. */
  readonly fails?: string | undefined
  /** How long it is queued and worked on, unless `timing` of the config, a directive or a rule says it. */
  readonly pace?: { readonly queued?: DurationSpec; readonly render?: DurationSpec } | undefined
  /** Names what is made only once: a job with the same name that has not failed is returned instead of a new one. */
  readonly once?: string | undefined
}

/** How a task passes its states. Later sources override earlier ones. */
export function shapeOf(
  { decision }: Exchange,
  { model, pace, directed, fails }: JobCourse & { model: string; directed: TaskShape },
  timing: TimingOptions | undefined,
): TaskShape {
  const failure: TaskShape = fails === undefined ? {} : { outcome: 'failure', reason: fails, failAt: 0 }
  return { ...pace, ...paceOf(timing, model), ...directed, ...failure, ...decision.task }
}

/** The random draws of the plan of a task. */
export function drawsOf(
  draws: Draws,
  prefix: string,
  { occurrence }: Pick<TaskRecord, 'occurrence'>,
  identity: string,
): (purpose: string) => number {
  return (purpose) => draws.unit(`${prefix}.${purpose}`, identity, occurrence)
}
