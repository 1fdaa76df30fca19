import { drawingFacts } from '../lifecycle.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { GatewayError } from '../../../gateway/replies/errors.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import type { Task } from '../../../engine/tasks/tasks.ts'
import { defineOperation } from '../../define/operation.ts'
import { drawingRecord } from '../record.ts'
import { drawingError } from '../refusals.ts'

/** @assumed §4.5 the media type of fetches is undocumented; wire §1.3: without a charset. */
export const recordHeaders = { 'Content-Type': 'application/json' }

/** One task (§4.5). */
export const mjFetch = defineOperation(
  {
    name: 'mj.fetch',
    summary: 'Poll a drawing',
    ...drawingFacts('poll', 'GET /mj/task/{id}/fetch'),
    task: 'id',
  },
  () => ({
    task: { unknown: unknownTask },
    respond: (x) => {
      x.entry.reportedStatus = x.sentView.state
      return jsonReply(200, recordOf(x, x.task!), recordHeaders)
    },
  }),
)

/** The record of a task at an instant. By default, at the instant that the exchange shows. */
export function recordOf(x: Exchange, task: Task, now = x.viewedAt): Record<string, unknown> {
  const { origin, draws, core } = x
  return drawingRecord(task, { view: x.tasks.view(task, now), now, origin, draws, links: core.links })
}

/** @assumed §7 the answer to an unknown task is undocumented; wire §2.4 and §7.5, with the same misspelling. */
export function unknownTask(): GatewayError {
  return drawingError(4, 'task_no_found')
}
