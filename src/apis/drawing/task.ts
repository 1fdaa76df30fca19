import { drawingSettings } from './settings.ts'
import { planTask } from '../../engine/tasks/plan-task.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { TaskShape } from '../../engine/tasks/plan-task.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import type { Core } from '../../gateway/core.ts'
import { newRecord, newTaskId } from '../jobs/job/task-record.ts'
import { drawingLifecycle, drawingPace, type Mode } from './lifecycle.ts'
import { drawingError } from './refusals.ts'
import {
  drawingRequest,
  isDrawing,
  modelOf,
  toFields,
  withMedia,
  type DrawingAction,
  type DrawingRequest,
  type DrawingResult,
} from './result.ts'

/** The parameters of a new drawing task. */
export interface DrawingParams {
  readonly action: DrawingAction
  readonly prompt: string
  readonly version: string
  readonly mode: Mode
  readonly state: string
  readonly hook: string | undefined
  /** The seed in the prompt; drawn by default. */
  readonly seed?: number | undefined
  /** Returns the result for a seed. */
  readonly result: (seed: number) => DrawingResult
  /** Why the task will fail. */
  readonly problem?: string | undefined
  /** The effect of directives in the prompt. */
  readonly shape?: TaskShape
  readonly parent?: string
  /** The button whose dialog must be answered first. */
  readonly dialog?: string
  /** The key of a task that exists only once. Without it, each submission creates its own task. */
  readonly onceKey?: string
}

/**
 * Creates a task and reserves its price. A failed task returns it.
 *
 * @throws {GatewayError} for a key that can't pay.
 * @assumed §8 the answer to an empty balance is undocumented; wire §2.4.
 */
export function createDrawing(x: Exchange, params: DrawingParams, core: Core): Task {
  const quota = x.billing.quotaFor(modelOf(params.action), { task: true })
  if (x.account.shortage(quota, x.now)) throw drawingError(4, 'quota_not_enough')
  const task = x.tasks.submit(recordDrawing(x, params, core))
  x.charge({ quota, task })
  x.entry.task = task.record.id
  return task
}

function recordDrawing(x: Exchange, params: DrawingParams, core: Core): TaskRecord {
  const { draws, decision } = x
  const lifecycle = x.tasks.lifecycle(drawingLifecycle.name)
  const identity = params.onceKey ?? x.identity
  const taskId = newTaskId(x, identity, (occurrence) => drawingId(x, identity, occurrence))
  const { occurrence } = taskId
  const { action, prompt, version, mode, state, parent, dialog, hook, result } = params
  const model = modelOf(action)
  const seed = params.seed ?? draws.integer(2 ** 32, 'mj.seed', identity, occurrence)
  const shape: TaskShape = {
    ...drawingPace(mode, model, core.use(drawingSettings).timing),
    ...params.shape,
    ...failureOf(params.problem),
    ...decision.task,
  }
  const draw = (purpose: string): number => draws.unit(`mj.${purpose}`, identity, occurrence)
  return newRecord(x, taskId, {
    identity,
    lifecycle: lifecycle.name,
    draws: 'mj',
    plan: planTask(lifecycle, shape, draw, dialog === undefined ? lifecycle.initial : 'MODAL'),
    request: toFields({
      model,
      action,
      prompt,
      version,
      seed,
      mode,
      state,
      ...withMedia(result(seed), decision.media),
      ...(parent !== undefined && { parent }),
      ...(dialog !== undefined && { dialog }),
      ...(hook !== undefined && { hook, hookOrigin: x.origin }),
    }),
  })
}

/** The failure of a task whose prompt the channel does not accept. */
export function failureOf(problem: string | undefined): TaskShape {
  return problem === undefined ? {} : { outcome: 'failure', reason: problem, failAt: 0 }
}

/**
 * Makes an id of sixteen digits. It includes a hash of the namespace, so that namespaces never share an id (§2.4: a numeric
 * string). The tag of the shard follows the first digit.
 */
export function drawingId({ draws, namespace }: Exchange, identity: string, occurrence: number): string {
  const drawn = draws.text('0123456789', 15, 'mj.id', `${namespace.name}/${identity}`, occurrence)
  return `1${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`
}

/** A finished task on which a new one is based. */
export interface Parent {
  readonly task: Task
  readonly request: DrawingRequest
}

/**
 * Checks the task on which a follow-up is based.
 *
 * @assumed §4.6 follow-ups are undocumented; wire §7.4.
 * @throws {GatewayError} if it is not a drawing of this namespace, or was not successful.
 */
export function requireParent(task: Task | undefined, { tasks, namespace, now }: Exchange): Parent {
  if (!task || !isDrawing(task) || task.record.namespace !== namespace.name) {
    throw drawingError(4, 'task_not_found')
  }
  const { state } = tasks.view(task, now)
  if (state !== task.lifecycle.roles.success) {
    throw drawingError(4, 'task_status_not_success').withHint(`Task ${task.record.id} is ${state}.`)
  }
  return { task, request: drawingRequest(task) }
}
