import * as z from 'zod/mini'
import type { Core } from '../../../gateway/core.ts'
import { must } from '../../../scenario/schema/fields.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import { defaultVersion, frameOf } from '../composition.ts'
import { listOf, prepareImageList, requireImages, withDrawing } from '../images.ts'
import { quote } from '../../../engine/wording.ts'
import { defineSubmission } from './submission.ts'
import { image, sentence, submissionForm } from './form.ts'

const countSentence = sentence((value) => `base64Array has ${listOf(value).length} pictures; send 2 to 5.`)

const dimensionsSentence = sentence(
  (value) => `dimensions is ${quote(value)}; use PORTRAIT, SQUARE or LANDSCAPE.`,
)

const form = submissionForm('BlendRequest', 'Blend images.', () => ({
  base64Array: must(
    z.array(image(), countSentence).check(z.minLength(2, countSentence), z.maxLength(5, countSentence)),
    'Images: a data URL, base64 or a URL.',
  ),
  dimensions: must(
    z.exactOptional(z.enum(['PORTRAIT', 'SQUARE', 'LANDSCAPE', ''], dimensionsSentence)),
    'Default SQUARE.',
  ),
}))

/** Combines several images into one (§4.6). */
export const mjBlend = defineSubmission(
  { name: 'mj.blend', summary: 'Blend images', ...drawingFacts('submit', 'POST /mj/submit/blend'), form },
  (core: Core) => ({
    action: 'BLEND',
    prepare: (body, media) => prepareImageList(body, media, core.use(drawingSettings).imageLimitBytes),
    /** @assumed §4.6 the payload is undocumented; wire §7.3. */
    parse: ({ prepared }, { dimensions = '' }) => ({
      images: requireImages(prepared),
      ratio: ratios[dimensions],
    }),
    respond: (x, { images, ratio }) => {
      const photos = images.map((image) => withDrawing(image, x))
      return {
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

const ratios = { '': 1, SQUARE: 1, PORTRAIT: 2 / 3, LANDSCAPE: 3 / 2 }
