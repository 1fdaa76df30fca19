import type { Route } from '../../gateway/exchange.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation, type ApiDeps } from '../operation.ts'
import { unknownVideo } from './retrieve.ts'

/**
 * Deletes a video of the same key, which OpenAI offers and the gateway does not.
 * @assumed §4.1 it is undocumented; wire §4.4.
 */
export function videosDelete({ onDelete }: ApiDeps): Route {
  return defineOperation('videos.delete', {
    task: { isOwnersOnly: true, unknown: () => unknownVideo() },
    respond: ({ task, tasks, now }) => {
      tasks.remove(task!, now)
      onDelete(task!)
      return jsonReply(200, { id: task!.record.id, deleted: true, object: 'video.deleted' })
    },
  })
}
