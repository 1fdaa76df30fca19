import type { Task } from '../../../engine/tasks/tasks.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import type { Context, Route } from '../../../gateway/route.ts'
import { defineOperation } from '../../operation.ts'
import { drawingRecord } from '../record.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { isDrawing } from '../shows.ts'

/**
 * What the stand-alone proxies offer beside the gateway's routes. A key lists and cancels only its own drawings.
 * @assumed §4.5 none of it is shown; wire §7.1.
 */
export function proxyRoutes(): readonly Route[] {
  return [
    recordsRoute('mj.all', () => true),
    recordsRoute('mj.queue', (task, { tasks, now }) => !tasks.view(task, now).final),
    defineOperation('mj.cancel', {
      task: { isOwnersOnly: true, unknown: () => drawingError(4, 'task_no_found') },
      respond: (_checked, context) => {
        const { tasks, now } = context
        const task = context.task!
        const { state, final } = tasks.view(task, now)
        if (final) throw invalidDrawing('parentState', `Task ${task.record.id} has ended as ${state}.`)
        // A task that was cancelled counts as failed (wire §7.6).
        tasks.transition(task, {
          at: now,
          state: task.lifecycle.roles.failure,
          reason: '取消任务',
          cause: 'request',
        })
        return jsonReply(200, { code: 1, description: '成功', result: task.record.id, properties: {} })
      },
    }),
  ]
}

function recordsRoute(
  operation: 'mj.all' | 'mj.queue',
  shows: (task: Task, context: Context) => boolean,
): Route {
  return defineOperation(operation, {
    respond: (_checked, context) => {
      const { tasks, namespace, now, origin, draws, credential } = context
      const wanted = tasks
        .list(namespace.name)
        .filter((task) => isDrawing(task) && task.isOwnedBy(credential) && shows(task, context))
      const records = wanted.map((task) =>
        drawingRecord(task, { view: tasks.view(task, now), now, origin, draws }),
      )
      return jsonReply(200, records, { 'Content-Type': 'application/json' })
    },
  })
}
