import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../facts.ts'
import type { JsonValue } from '../../../gateway/bodies/json.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { defaultVersion, frameOf } from '../composition.ts'
import { prepareImageList, requireImages, withDrawing } from '../images.ts'
import { invalidDrawing, quote } from '../refusals.ts'
import { defineSubmission } from './submission.ts'

/** Combines several images into one (§4.6). */
export const mjBlend = defineSubmission(
  { name: 'mj.blend', ...drawingFacts('submit', 'POST /mj/submit/blend') },
  (deps: ApiDeps) => ({
    action: 'BLEND',
    prepare: (body, media) =>
      prepareImageList(body, 'base64Array', media, deps.use(drawingSettings).imageLimitBytes),
    /** @assumed §4.6 the payload is undocumented; wire §7.3. */
    parse: ({ body, prepared }) => {
      const { length } = prepared
      if (length < 2 || length > 5)
        throw invalidDrawing('imageCount', `base64Array has ${length} pictures; send 2 to 5.`)
      return { images: requireImages(prepared), ratio: ratioOf(body['dimensions']) }
    },
    respond: (x, { images, ratio }) => {
      const photos = images.map((image) => withDrawing(image, x))
      return {
        action: 'BLEND',
        prompt: '',
        version: defaultVersion,
        result: (seed) => ({
          kind: 'grid',
          drawing: { base: { kind: 'blend', images: photos, seed, ...frameOf(ratio) }, edits: [] },
        }),
      }
    },
  }),
)

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
  throw invalidDrawing('dimensions', `dimensions is ${quote(dimensions)}; use PORTRAIT, SQUARE or LANDSCAPE.`)
}
