import type { Task } from '../../../engine/tasks/tasks.ts'
import type { Context } from '../../../gateway/route.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { drawingRequest, isDrawing, type DrawingRequest } from '../shows.ts'

/** A task that goes on in another, with what is remembered of it. */
export interface Parent {
  readonly task: Task
  readonly request: DrawingRequest
}

/**
 * The task that a follow-up names.
 *
 * @assumed §4.6 follow-ups are not shown; wire §7.4.
 * @throws {GatewayError} when it is none of this channel's, or hasn't ended well.
 */
export function finishedParent(task: Task | undefined, { tasks, namespace, now }: Context): Parent {
  if (!task || !isDrawing(task) || task.record.namespace !== namespace.name) {
    throw drawingError(4, 'task_not_found')
  }
  const { state } = tasks.view(task, now)
  if (state !== task.lifecycle.roles.success) {
    throw drawingError(4, 'task_status_not_success').withHint(`Task ${task.record.id} is ${state}.`)
  }
  return { task, request: drawingRequest(task) }
}

/** The task whose films are to go on. */
export function filmsToExtend(
  { task, index }: { task: string; index: number },
  context: Context,
): DrawingRequest {
  const { request } = finishedParent(context.tasks.find(task), context)
  if (!request.films) throw invalidDrawing('parentKind', `Task ${task} has no films.`)
  const count = request.films.seeds.length
  if (index < count) return request
  throw invalidDrawing('parameter', `Task ${task} has ${count} films; index ${index} is none of them.`)
}
