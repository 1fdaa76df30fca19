import * as z from 'zod/mini'
import { must } from '../../../scenario/schema/fields.ts'
import { defaultVersion, frameOf } from '../composition.ts'
import { listOf, prepareImageList, requireImages } from '../images.ts'
import { quote } from '../../../engine/wording.ts'
import { submission } from './submission.ts'
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

const ratios = { '': 1, SQUARE: 1, PORTRAIT: 2 / 3, LANDSCAPE: 3 / 2 }

/**
 * Combines several images into one (§4.6).
 * @assumed §4.6 the payload is undocumented; wire §7.3.
 */
export const blend = submission('submit', {
  path: 'blend',
  summary: 'Blend images',
  form,
  action: () => 'BLEND',
  prepare: prepareImageList,
  make: ({ images: received, body: { dimensions = '' } }) => {
    requireImages(received)
    return {
      prompt: '',
      version: defaultVersion,
      result: (seed, images) => ({
        kind: 'grid',
        drawing: { base: { kind: 'blend', images, seed, ...frameOf(ratios[dimensions]) }, edits: [] },
      }),
    }
  },
})
