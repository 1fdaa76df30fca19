import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../facts.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { defaultVersion, describeImage, drawPhoto } from '../composition.ts'
import { identityOfImage, receiveDrawingImage, requireImages, withDrawing } from '../images.ts'
import { invalidDrawing } from '../refusals.ts'
import { defineSubmission } from './submission.ts'

/** Image to text (§4.6). */
export const mjDescribe = defineSubmission(
  { name: 'mj.describe', ...drawingFacts('submit', 'POST /mj/submit/describe') },
  (deps: ApiDeps) => ({
    action: 'DESCRIBE',
    prepare: async ({ base64, link, ...rest }, media) => {
      const sent = base64 || link
      if (!sent) return { prepared: undefined, fields: rest }
      const image = await receiveDrawingImage(sent, media, deps.use(drawingSettings).imageLimitBytes)
      return { prepared: image, fields: { ...rest, base64: identityOfImage(image) } }
    },
    /** @assumed §4.6 the payload is undocumented; wire §7.3. */
    parse: ({ prepared: image }) => {
      if (!image) throw invalidDrawing('noImage', 'Send the picture in base64, as a data URL or bare.')
      return requireImages([image])[0]!
    },
    respond: (x, sent) => {
      const image = withDrawing(sent, x)
      return {
        action: 'DESCRIBE',
        prompt: '',
        version: defaultVersion,
        result: (seed) => ({
          kind: 'describe',
          drawing: drawPhoto(image),
          prompts: describeImage(image, seed),
        }),
      }
    },
  }),
)
