import { jsonReply } from '../../../gateway/replies/reply.ts'
import type { Route } from '../../../gateway/route.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { meaningOfImage, type DrawingImage } from '../images/images.ts'
import { invalidDrawing } from '../refusals.ts'
import { contentType, submitRoute } from './submit-route.ts'
import type { DrawingTasks } from '../task.ts'
import { uploadedFile, uploadedFolder } from '../images/uploaded-file.ts'
import { listOf, receiveList, usable } from './imagine.ts'

/**
 * Pictures to be named in prompts later: the answer holds their addresses, and no task is made.
 * @assumed §4.6 it is not among the shown operations; wire §7.5.
 */
export function uploadRoute({ settings }: DrawingTasks): Route {
  return submitRoute<readonly DrawingImage[], readonly Photo[]>(
    {
      operation: 'mj.upload',
      action: () => 'UPLOAD',
      prepare: async (body, media) => {
        const images = await receiveList(listOf(body['base64Array']), media, settings.imageLimitBytes)
        return { prepared: images, fields: { ...body, base64Array: images.map(meaningOfImage) } }
      },
      validate: (_body, received) => {
        if (received.length === 0) throw invalidDrawing('noImage', 'Send the pictures in base64Array.')
        return usable(received)
      },
      respond: (images, _common, { origin, namespace }) => {
        const folder = origin + uploadedFolder
        const result = images.map(({ digest, url }) =>
          digest === undefined ? url : folder + uploadedFile(digest, namespace.shardTag),
        )
        return jsonReply(200, { code: 1, description: 'success', result }, contentType(settings))
      },
    },
    settings,
  )
}
