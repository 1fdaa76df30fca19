import type { JsonValue } from '../../../gateway/bodies/json.ts'
import type { Route } from '../../../gateway/route.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { frameOf } from '../images/frame.ts'
import { meaningOfImage, type DrawingImage } from '../images/images.ts'
import { defaultVersion } from '../images/imagined.ts'
import { invalidDrawing } from '../refusals.ts'
import type { DrawingTasks } from '../task.ts'
import { taskRoute } from '../task-route.ts'
import { listOf, receiveList, usable } from './imagine.ts'

/** Several pictures made into one (§4.6). */
export function blendRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return taskRoute<readonly DrawingImage[], { images: readonly Photo[]; ratio: number }>(
    {
      operation: 'mj.blend',
      action: () => 'BLEND',
      prepare: async (body, media) => {
        const images = await receiveList(listOf(body['base64Array']), media, settings.imageLimitBytes)
        return { prepared: images, fields: { ...body, base64Array: images.map(meaningOfImage) } }
      },
      /** @assumed §4.6 the payload is not shown; wire §7.3. */
      validate: (body, received) => {
        if (received.length < 2 || received.length > 5) {
          throw invalidDrawing('imageCount', `base64Array has ${received.length} pictures; send 2 to 5.`)
        }
        return { images: usable(received), ratio: ratioOf(body['dimensions']) }
      },
      wish: ({ images, ratio }, shown) => ({
        action: 'BLEND',
        prompt: '',
        version: defaultVersion,
        seed: undefined,
        shows: (seed) => ({
          kind: 'grid',
          drawing: { base: { kind: 'blend', images: images.map(shown), seed, ...frameOf(ratio) }, edits: [] },
        }),
      }),
    },
    tasks,
  )
}

const ratios: ReadonlyMap<JsonValue | undefined, number> = new Map([
  [undefined, 1],
  ['', 1],
  ['SQUARE', 1],
  ['PORTRAIT', 2 / 3],
  ['LANDSCAPE', 3 / 2],
])

function ratioOf(dimensions: JsonValue | undefined): number {
  const ratio = ratios.get(dimensions)
  if (ratio !== undefined) return ratio
  const shown = JSON.stringify(dimensions).slice(0, 60)
  throw invalidDrawing('dimensions', `dimensions is ${shown}; use PORTRAIT, SQUARE or LANDSCAPE.`)
}
