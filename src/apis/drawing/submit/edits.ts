import type { Core } from '../../../gateway/core.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../lifecycle.ts'
import { frameOf, versionOf } from '../composition.ts'
import { extremeRatio } from '../flags.ts'
import { listOf, receiveDrawingImage, requireImages, withDrawing } from '../images.ts'
import { readPrompt } from '../prompt.ts'
import { invalidDrawing } from '../refusals.ts'
import { identityOfPhoto } from '../../painting/photos.ts'
import { defineSubmission } from './submission.ts'
import { firstImage, prompt, submissionForm } from './form.ts'

const form = submissionForm('EditsRequest', 'Change an image.', () => ({
  prompt: prompt(),
  image: firstImage({ minItems: 1 }),
}))

/**
 * Edits an image by a prompt.
 * @assumed §4.6 edits are undocumented; wire §7.3.
 */
export const mjEdits = defineSubmission(
  { name: 'mj.edits', summary: 'Change an image', ...drawingFacts('submit', 'POST /mj/submit/edits'), form },
  (core: Core) => {
    const settings = core.use(drawingSettings)

    return {
      action: 'EDITS',
      prepare: async (body, media) => {
        const { image: given } = body
        const [sent] = listOf(given)
        if (sent === undefined) return { prepared: undefined, fields: body }
        const image = await receiveDrawingImage(sent, media, settings.imageLimitBytes)
        return { prepared: image, fields: { ...body, image: identityOfPhoto(image) } }
      },
      parse: ({ prepared: image }, { prompt: text, botType }) => {
        const prompt = readPrompt(text, settings)
        if (!image)
          throw invalidDrawing('noImage', 'Send the picture in image: an address, a data URL or bare base64.')
        return { prompt, image: requireImages([image])[0]!, version: versionOf(prompt, botType) }
      },
      respond: (x, { prompt: { prompt, text, flags, shape, problem }, image: sent, version }) => {
        const image = withDrawing(sent, x)
        const ownRatio = Math.min(extremeRatio, Math.max(1 / extremeRatio, image.width / image.height))
        const frame = frameOf(flags.ratio ?? ownRatio)
        return {
          prompt,
          version,
          flagged: flags.mode,
          seed: flags.seed,
          result: (seed) => ({
            kind: 'grid',
            drawing: { base: { kind: 'edit', image, prompt: text, seed, ...frame }, edits: [] },
          }),
          shape,
          problem,
        }
      },
    }
  },
)
