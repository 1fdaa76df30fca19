import { drawingFacts } from '../facts.ts'
import { jsonReply } from '../../../gateway/replies/reply.ts'
import { defineOperation, type ApiDeps } from '../../define/operation.ts'
import { invalidDrawing } from '../refusals.ts'
import { drawingRequest } from '../result.ts'
import { contentType } from '../submit/submission.ts'
import { unknownTask } from './fetch.ts'

/**
 * The seed of an image.
 * @assumed §4.5 it is undocumented; wire §7.5.
 */
export const mjSeed = defineOperation(
  { name: 'mj.seed', ...drawingFacts('read', 'GET /mj/task/{id}/image-seed'), task: 'id' },
  ({ quirks }: ApiDeps) => {
    const headers = contentType(quirks)

    return {
      task: { unknown: unknownTask },
      respond: ({ tasks, now, task }) => {
        const { seed, drawing } = drawingRequest(task!)
        const isDone = tasks.view(task!, now).state === task!.lifecycle.roles.success
        if (!isDone || !drawing)
          throw invalidDrawing('parentState', 'There is no picture yet.').withHeaders(headers)
        const body = { code: 1, description: '成功', properties: null, result: String(seed) }
        return jsonReply(200, body, headers)
      },
    }
  },
)
