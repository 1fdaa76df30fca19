import type { Route } from '../../../gateway/route.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { meaningOfImage, receiveDrawingImage, type DrawingImage } from '../images/images.ts'
import { defaultVersion } from '../images/imagined.ts'
import { photoDrawing } from '../images/photo-drawing.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import type { DrawingTasks } from '../task.ts'
import { taskRoute } from '../task-route.ts'
import { usable } from './imagine.ts'

/**
 * The face of one picture put into another.
 * @assumed §4.6 it is not among the shown operations; wire §7.3.
 */
export function swapRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return taskRoute<readonly (DrawingImage | undefined)[], { source: Photo; target: Photo }>(
    {
      operation: 'mj.swap',
      action: () => 'SWAP_FACE',
      prepare: async (body, media) => {
        const sent = [body['sourceBase64'] || body['sourceUrl'], body['targetBase64'] || body['targetUrl']]
        const images = await Promise.all(
          sent.map((value) =>
            value ? receiveDrawingImage(value, media, settings.imageLimitBytes) : undefined,
          ),
        )
        const [source, target] = images.map((image) => (image ? meaningOfImage(image) : ''))
        return { prepared: images, fields: { ...body, sourceBase64: source, targetBase64: target } }
      },
      validate: (_body, [sent, wanted]) => {
        if (!sent || !wanted) throw drawingError(4, 'sour_base64_and_target_base64_is_required')
        if (meaningOfImage(sent) === meaningOfImage(wanted)) {
          throw invalidDrawing(
            'parameter',
            'sourceBase64 and targetBase64 are the same picture; they must differ.',
          )
        }
        const [source, target] = usable([sent, wanted])
        return { source: source!, target: target! }
      },
      wish: (sent, shown) => {
        const [source, target] = [shown(sent.source), shown(sent.target)]
        const { width, height } = photoDrawing(target).base
        return {
          action: 'SWAP_FACE',
          prompt: '',
          version: defaultVersion,
          seed: undefined,
          shows: () => ({
            kind: 'plain',
            drawing: { base: { kind: 'swap', source, target, width, height }, edits: [] },
          }),
        }
      },
    },
    tasks,
  )
}
