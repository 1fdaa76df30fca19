import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../facts.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { defaultVersion, drawPhoto } from '../composition.ts'
import { identityOfImage, receiveOptional, requireImages, withDrawing } from '../images.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { defineSubmission } from './submission.ts'

/**
 * Swaps the face of one image into another.
 * @assumed §4.6 it is undocumented; wire §7.3.
 */
export const mjSwap = defineSubmission(
  { name: 'mj.swap', ...drawingFacts('submit', 'POST /mj/insight-face/swap') },
  (deps: ApiDeps) => ({
    action: 'SWAP_FACE',
    prepare: async (body, media) => {
      const { sourceBase64, sourceUrl, targetBase64, targetUrl } = body
      const sent = [sourceBase64 || sourceUrl || undefined, targetBase64 || targetUrl || undefined]
      const images = await receiveOptional(sent, media, deps.use(drawingSettings).imageLimitBytes)
      const [source, target] = images.map((image) => (image ? identityOfImage(image) : ''))
      return { prepared: images, fields: { ...body, sourceBase64: source, targetBase64: target } }
    },
    parse: ({ prepared: [face, picture] }) => {
      if (!face || !picture) throw drawingError(4, 'sour_base64_and_target_base64_is_required')
      if (identityOfImage(face) === identityOfImage(picture)) {
        const hint = 'sourceBase64 and targetBase64 are the same picture; they must differ.'
        throw invalidDrawing('parameter', hint)
      }
      return requireImages([face, picture])
    },
    respond: (x, images) => {
      const [source, target] = images.map((image) => withDrawing(image, x))
      const { width, height } = drawPhoto(target!).base
      return {
        action: 'SWAP_FACE',
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
