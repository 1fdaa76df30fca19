import * as z from 'zod/mini'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonReply } from '../../gateway/replies/reply.ts'
import { defineOperation } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { pageForm, pageSchema, writePage } from '../define/page.ts'
import { videoRecord, videoSchema, unknownVideo } from './retrieve.ts'

const form = pageForm(0, (message) => taskError(400, 'invalid_request', message))

/**
 * Lists the videos of a key. OpenAI offers this, the gateway does not.
 * @assumed §4.1 the list of videos is undocumented; wire §4.4.
 */
export const videosList = defineOperation(
  {
    name: 'videos.list',
    summary: 'List videos',
    role: 'list',
    tasks: 'video',
    route: 'GET /v1/videos',
    option: 'video.listAndDelete',
    form,
    schema: () => ({ answer: { json: pageSchema(videoSchema()) } }),
  },
  (core: Core) => ({
    parse: (_x, page) => page,
    respond: ({ tasks, namespace, now, origin, credential }, page) => {
      const all = tasks
        .list(namespace.name)
        .filter((task) => task.lifecycle.name === 'video' && task.isOwnedBy(credential))
      const body = writePage(all, page, {
        idOf: ({ id }) => id,
        write: (task) => videoRecord(task, tasks.view(task, now), origin, core),
        unknown: () => taskError(400, 'task_not_exist', 'after names no video'),
      })
      return jsonReply(200, body)
    },
  }),
)

/**
 * Deletes a video of the same key. OpenAI offers this, the gateway does not.
 * @assumed §4.1 deleting a video is undocumented; wire §4.4.
 */
export const videosDelete = defineOperation(
  {
    name: 'videos.delete',
    summary: 'Delete a video',
    role: 'cancel',
    tasks: 'video',
    route: 'DELETE /v1/videos/{task_id}',
    task: 'task_id',
    option: 'video.listAndDelete',
    schema: () => ({
      answer: {
        json: z.object({ id: z.string(), deleted: z.boolean(), object: z.literal('video.deleted') }),
      },
    }),
  },
  () => ({
    task: { isOwnersOnly: true, unknown: () => unknownVideo() },
    respond: ({ task, tasks, now, entry }) => {
      // The record is gone after this, and a task that had failed returned its price.
      entry.reportedStatus = tasks.view(task!, now).state
      tasks.remove(task!, now)
      return jsonReply(200, { id: task!.record.id, deleted: true, object: 'video.deleted' })
    },
  }),
)
