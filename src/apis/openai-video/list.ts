import type { Task } from '../../engine/tasks/tasks.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'
import { videoRecord } from './retrieve.ts'

/**
 * Lists the videos of a key. OpenAI offers this, the gateway does not.
 * @assumed §4.1 it is undocumented; wire §4.4.
 */
export const videosList = defineOperation(
  {
    name: 'videos.list',
    role: 'list',
    tasks: 'video',
    route: 'GET /v1/videos',
    option: 'video.listAndDelete',
  },
  (deps: ApiDeps) => ({
    parse: ({ query }) => readPage(new URLSearchParams(query)),
    respond: ({ tasks, namespace, now, origin, credential }, page) => {
      const all = tasks
        .list(namespace.name)
        .filter((task) => task.lifecycle.name === 'video' && task.isOwnedBy(credential))
      const { listed, hasMore } = selectPage(page, page.order === 'asc' ? all : all.toReversed())
      const data = listed.map((task) => videoRecord(task, tasks.view(task, now), origin, deps))
      const [first, last] = [listed.at(0)?.record.id ?? null, listed.at(-1)?.record.id ?? null]
      return jsonReply(200, { object: 'list', data, first_id: first, last_id: last, has_more: hasMore })
    },
  }),
)

interface Page {
  readonly limit: number
  readonly order: string
  /** The id after which the page begins. */
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

function selectPage({ limit, after }: Page, tasks: readonly Task[]): { listed: Task[]; hasMore: boolean } {
  const start = after === null ? 0 : tasks.findIndex(({ record }) => record.id === after) + 1
  if (after !== null && start === 0) throw taskError(400, 'task_not_exist', 'after names no video')
  return { listed: tasks.slice(start, start + limit), hasMore: limit > 0 && tasks.length > start + limit }
}
