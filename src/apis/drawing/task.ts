import type { Lifecycle } from '../../engine/tasks/lifecycle.ts'
import { planTask, type TaskShape } from '../../engine/tasks/plan-task.ts'
import type { TaskRecord } from '../../engine/tasks/plan.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import { accountOf } from '../../gateway/accounts/billing.ts'
import type { Context } from '../../gateway/route.ts'
import { madeAs } from './made.ts'
import { drawingPace, type Mode } from './pace.ts'
import type { DrawingQueue } from './queue.ts'
import { drawingError } from './refusals.ts'
import type { DrawingSettings } from './settings.ts'
import { asFields, type Shows } from './shows.ts'
import { modelOf, type DrawingAction } from './words.ts'

/** A drawing task that can be made. */
export interface DrawingWish {
  readonly action: DrawingAction
  readonly prompt: string
  readonly version: string
  readonly mode: Mode
  readonly state: string
  readonly hook: string | undefined
  /** The number that a picture is drawn from, when the prompt gives it. */
  readonly seed: number | undefined
  /** What the task will show, drawn from a number. */
  readonly shows: (seed: number) => Shows
  /** Why it is bound to fail. */
  readonly problem?: string | undefined
  /** What directives in the prompt ask for. */
  readonly shape?: TaskShape
  readonly parent?: string
  /** The button whose dialog must be answered first. */
  readonly dialog?: string
  /** What makes the task the same whenever it is asked for; without it each submission is a task of its own. */
  readonly once?: string
}

/** Makes drawing tasks. */
export interface DrawingTasks {
  readonly settings: DrawingSettings
  readonly lifecycle: Lifecycle
  /** Where the queue is bounded. */
  readonly queue: DrawingQueue | undefined
  /** Told of each task that was made. */
  readonly onSubmit: (task: Task) => void
}

/**
 * Accepts a wish: everything that is left to chance is drawn here, keyed by what was asked for, and frozen. What it costs
 * is set aside; a task that fails gives it back.
 *
 * @throws {GatewayError} for a key that can't pay.
 * @assumed §8 the answer to an empty balance is not shown; wire §2.4.
 */
export function submitDrawing(wish: DrawingWish, context: Context, parts: DrawingTasks): Task {
  const quota = context.billing.quotaFor(modelOf(wish.action), { task: true })
  const account = accountOf(context)
  if (account.shortage(quota, context.now)) throw drawingError(4, 'quota_not_enough')
  const task = context.tasks.submit(recordDrawing(wish, context, parts))
  account.charge({ quota, task }, context.now)
  context.journal.task = task.record.id
  parts.onSubmit(task)
  return task
}

function recordDrawing(
  wish: DrawingWish,
  context: Context,
  { settings, lifecycle }: DrawingTasks,
): TaskRecord {
  const { namespace, draws, decision, now, bodyToKeep } = context
  const { id, identity, occurrence } = newId(wish, context)
  const model = modelOf(wish.action)
  const seed = wish.seed ?? draws.integer(2 ** 32, 'mj.seed', identity, occurrence)
  const shape: TaskShape = {
    ...drawingPace(wish.mode, model, settings.timing),
    ...wish.shape,
    ...failing(wish.problem),
    ...decision.task,
  }
  const draw = (purpose: string): number => draws.unit(`mj.${purpose}`, identity, occurrence)
  const { action, prompt, version, mode, state, parent, dialog, hook } = wish
  return {
    id,
    row: 1 + draws.integer(2 ** 31 - 1, 'mj.row', id, 0),
    namespace: namespace.name,
    operation: context.journal.operation!,
    lifecycle: lifecycle.name,
    identity,
    occurrence,
    submittedAt: now,
    plan: planTask(lifecycle, shape, draw, dialog === undefined ? lifecycle.initial : 'MODAL'),
    request: asFields({
      model,
      action,
      prompt,
      version,
      seed,
      mode,
      state,
      ...madeAs(wish.shows(seed), decision.media),
      ...(parent === undefined ? {} : { parent }),
      ...(dialog === undefined ? {} : { dialog }),
      ...(hook === undefined ? {} : { hook, hookOrigin: context.origin }),
    }),
    nth: context.tasks.nextNth(namespace.name, lifecycle.name),
    ...(bodyToKeep && { body: bodyToKeep }),
  }
}

/** What becomes of a task whose prompt the channel doesn't take. */
export function failing(problem: string | undefined): TaskShape {
  return problem === undefined ? {} : { outcome: 'failure', reason: problem, failAt: 0 }
}

/**
 * Sixteen digits that hash the namespace in, so that two namespaces never share one (§2.4: a numeric string). A shard's
 * tag stands behind the first.
 */
export function drawingId({ draws, namespace }: Context, identity: string, occurrence: number): string {
  const drawn = draws.text('0123456789', 15, 'mj.id', `${namespace.name}/${identity}`, occurrence)
  return `1${namespace.shardTag}${drawn.slice(namespace.shardTag.length)}`
}

function newId(
  { once }: DrawingWish,
  context: Context,
): { id: string; identity: string; occurrence: number } {
  const { namespace, tasks, request } = context
  const identity = once ?? request.identity
  for (;;) {
    const occurrence = namespace.acceptances.next(identity)
    const id = drawingId(context, identity, occurrence)
    if (!tasks.find(id)) return { id, identity, occurrence }
  }
}
