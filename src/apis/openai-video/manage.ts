import type { Task } from '../../engine/tasks/tasks.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import type { Route } from '../../gateway/route.ts'
import { defineOperation } from '../operation.ts'
import { videoRecord } from './view.ts'

/**
 * Listing and deleting, which OpenAI offers and the gateway doesn't. A key lists and deletes only its own videos.
 *
 * @assumed §4.1 neither is shown; wire §4.4.
 * @param onDelete told of each task that was deleted.
 */
export function manageRoutes(onDelete: (task: Task) => void): readonly Route[] {
  return [
    defineOperation('videos.list', {
      validate: ({ query }) => readPage(new URLSearchParams(query)),
      respond: (page, { tasks, namespace, now, origin, credential }) => {
        const all = tasks
          .list(namespace.name)
          .filter((task) => task.lifecycle.name === 'video' && task.isOwnedBy(credential))
        const { shown, hasMore } = turnTo(page, page.order === 'asc' ? all : all.toReversed())
        const data = shown.map((task) => videoRecord(task, tasks.view(task, now), origin))
        const [first, last] = [shown.at(0)?.record.id ?? null, shown.at(-1)?.record.id ?? null]
        return jsonReply(200, { object: 'list', data, first_id: first, last_id: last, has_more: hasMore })
      },
    }),
    defineOperation('videos.delete', {
      task: {
        isOwnersOnly: true,
        unknown: () => taskError(400, 'task_not_exist', 'task_not_exist'),
      },
      respond: (_checked, { task, tasks, now }) => {
        tasks.remove(task!, now)
        onDelete(task!)
        return jsonReply(200, { id: task!.record.id, deleted: true, object: 'video.deleted' })
      },
    }),
  ]
}

interface Page {
  readonly limit: number
  readonly order: string
  /** The id behind which the page begins. */
  readonly after: string | null
}

function readPage(query: URLSearchParams): Page {
  const limit = query.get('limit') || '20'
  const order = query.get('order') || 'desc'
  if (!/^\d{1,3}$/.test(limit) || Number(limit) > 100) {
    throw taskError(400, 'invalid_request', 'limit must be a whole number from 0 to 100')
  }
  if (order !== 'asc' && order !== 'desc') {
    throw taskError(400, 'invalid_request', 'order must be asc or desc')
  }
  return { limit: Number(limit), order, after: query.get('after') || null }
}

function turnTo({ limit, after }: Page, tasks: readonly Task[]): { shown: Task[]; hasMore: boolean } {
  const start = after === null ? 0 : tasks.findIndex(({ record }) => record.id === after) + 1
  if (after !== null && start === 0) throw taskError(400, 'task_not_exist', 'after names no video')
  return { shown: tasks.slice(start, start + limit), hasMore: limit > 0 && tasks.length > start + limit }
}
