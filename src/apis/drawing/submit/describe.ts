import type { Route } from '../../../gateway/route.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { meaningOfImage, receiveDrawingImage, type DrawingImage } from '../images/images.ts'
import { defaultVersion } from '../images/imagined.ts'
import { photoDrawing, promptsIn } from '../images/photo-drawing.ts'
import { invalidDrawing } from '../refusals.ts'
import type { DrawingTasks } from '../task.ts'
import { taskRoute } from '../task-route.ts'
import { usable } from './imagine.ts'

/** Image to text (§4.6). */
export function describeRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return taskRoute<DrawingImage | undefined, Photo>(
    {
      operation: 'mj.describe',
      action: () => 'DESCRIBE',
      prepare: async (body, media) => {
        const sent = body['base64'] || body['link']
        const image = sent ? await receiveDrawingImage(sent, media, settings.imageLimitBytes) : undefined
        const { base64: _base64, link: _link, ...rest } = body
        return { prepared: image, fields: { ...rest, ...(image && { base64: meaningOfImage(image) }) } }
      },
      /** @assumed §4.6 the payload is not shown; wire §7.3. */
      validate: (_body, image) => {
        if (!image) throw invalidDrawing('noImage', 'Send the picture in base64, as a data URL or bare.')
        return usable([image])[0]!
      },
      wish: (sent, shown) => {
        const image = shown(sent)
        return {
          action: 'DESCRIBE',
          prompt: '',
          version: defaultVersion,
          seed: undefined,
          shows: (seed) => ({
            kind: 'describe',
            drawing: photoDrawing(image),
            prompts: promptsIn(image, seed),
          }),
        }
      },
    },
    tasks,
  )
}
