import type { Core } from '../../../gateway/core.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import { defaultVersion, drawPhoto } from '../composition.ts'
import { receiveOptional, requireImages, withDrawing } from '../images.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { identityOfPhoto } from '../../painting/photos.ts'
import { defineSubmission } from './submission.ts'
import { optionalImage, submissionForm } from './form.ts'

const oneOf = (...names: readonly string[]): object => ({
  anyOf: names.map((name) => ({ required: [name] })),
})
const form = submissionForm(
  'SwapRequest',
  'Put a face into another image.',
  () => ({
    sourceBase64: optionalImage(),
    sourceUrl: optionalImage(),
    targetBase64: optionalImage(),
    targetUrl: optionalImage(),
  }),
  { allOf: [oneOf('sourceBase64', 'sourceUrl'), oneOf('targetBase64', 'targetUrl')] },
)

/**
 * Swaps the face of one image into another.
 * @assumed §4.6 face swaps are undocumented; wire §7.3.
 */
export const mjSwap = defineSubmission(
  {
    name: 'mj.swap',
    summary: 'Put a face into another image',
    ...drawingFacts('submit', 'POST /mj/insight-face/swap'),
    form,
  },
  (core: Core) => ({
    action: 'SWAP_FACE',
    prepare: async (body, media) => {
      const { sourceBase64, sourceUrl, targetBase64, targetUrl } = body
      const sent = [sourceBase64 || sourceUrl || undefined, targetBase64 || targetUrl || undefined]
      const images = await receiveOptional(sent, media, core.use(drawingSettings).imageLimitBytes)
      const [source, target] = images.map((image) => (image ? identityOfPhoto(image) : ''))
      return { prepared: images, fields: { ...body, sourceBase64: source, targetBase64: target } }
    },
    parse: ({ prepared: [face, picture] }) => {
      if (!face || !picture) throw drawingError(4, 'sour_base64_and_target_base64_is_required')
      if (identityOfPhoto(face) === identityOfPhoto(picture)) {
        const hint = 'sourceBase64 and targetBase64 are the same picture; they must differ.'
        throw invalidDrawing('parameter', hint)
      }
      return requireImages([face, picture])
    },
    respond: (x, images) => {
      const [source, target] = images.map((image) => withDrawing(image, x))
      const { width, height } = drawPhoto(target!).base
      return {
        prompt: '',
        version: defaultVersion,
        result: () => ({
          kind: 'plain',
          drawing: {
            base: { kind: 'swap', source: source!, target: target!, width, height },
            edits: [],
          },
        }),
      }
    },
  }),
)
