import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'
import { unknownVideo } from './retrieve.ts'

/**
 * Deletes a video of the same key. OpenAI offers this, the gateway does not.
 * @assumed §4.1 it is undocumented; wire §4.4.
 */
export const videosDelete = defineOperation(
  {
    name: 'videos.delete',
    role: 'cancel',
    tasks: 'video',
    route: 'DELETE /v1/videos/{task_id}',
    task: 'task_id',
    option: 'video.listAndDelete',
  },
  ({ onDelete }: ApiDeps) => ({
    task: { isOwnersOnly: true, unknown: () => unknownVideo() },
    respond: ({ task, tasks, now }) => {
      tasks.remove(task!, now)
      onDelete(task!)
      return jsonReply(200, { id: task!.record.id, deleted: true, object: 'video.deleted' })
    },
  }),
)
