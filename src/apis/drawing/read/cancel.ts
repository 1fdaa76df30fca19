import { jsonReply } from '../../../gateway/replies/reply.ts'
import { defineOperation } from '../../define/operation.ts'
import { invalidDrawing } from '../refusals.ts'
import { unknownTask } from './fetch.ts'

/**
 * Cancels a drawing of the same key. Stand-alone proxies offer this, the gateway does not.
 * @assumed §4.5 it is undocumented; wire §7.1.
 */
export const mjCancel = defineOperation(
  {
    name: 'mj.cancel',
    role: 'cancel',
    tasks: 'drawing',
    route: 'POST /mj/task/{id}/cancel',
    task: 'id',
    hasNoBody: true,
    option: 'drawing.proxyCalls',
  },
  () => ({
    task: { isOwnersOnly: true, unknown: unknownTask },
    respond: (x) => {
      const { tasks, now } = x
      const task = x.task!
      const { state, final } = tasks.view(task, now)
      if (final) throw invalidDrawing('parentState', `Task ${task.record.id} has ended as ${state}.`)
      // A cancelled task counts as failed (wire §7.6).
      tasks.transition(task, {
        at: now,
        state: task.lifecycle.roles.failure,
        reason: '取消任务',
        cause: 'request',
      })
      return jsonReply(200, { code: 1, description: '成功', result: task.record.id, properties: {} })
    },
  }),
)
