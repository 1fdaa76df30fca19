import { drawingSettings } from '../settings.ts'
import { drawingFacts } from '../facts.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { frameOf, versionOf } from '../composition.ts'
import { extremeRatio } from '../flags.ts'
import { identityOfImage, listOf, receiveDrawingImage, requireImages, withDrawing } from '../images.ts'
import { readPrompt } from '../prompt.ts'
import { invalidDrawing } from '../refusals.ts'
import { defineSubmission } from './submission.ts'

/**
 * Edits an image by a prompt.
 * @assumed §4.6 it is undocumented; wire §7.3.
 */
export const mjEdits = defineSubmission(
  { name: 'mj.edits', ...drawingFacts('submit', 'POST /mj/submit/edits') },
  (deps: ApiDeps) => {
    const settings = deps.use(drawingSettings)

    return {
      action: 'EDITS',
      prepare: async (body, media) => {
        const [sent] = listOf(body['image'])
        if (sent === undefined) return { prepared: undefined, fields: body }
        const image = await receiveDrawingImage(sent, media, settings.imageLimitBytes)
        return { prepared: image, fields: { ...body, image: identityOfImage(image) } }
      },
      parse: ({ body, prepared: image }) => {
        const prompt = readPrompt(body['prompt'], settings)
        if (!image)
          throw invalidDrawing('noImage', 'Send the picture in image: an address, a data URL or bare base64.')
        return { prompt, image: requireImages([image])[0]!, version: versionOf(prompt, body['botType']) }
      },
      respond: (x, { prompt: { prompt, text, flags, shape, problem }, image: sent, version }) => {
        const image = withDrawing(sent, x)
        const ownRatio = Math.min(extremeRatio, Math.max(1 / extremeRatio, image.width / image.height))
        const frame = frameOf(flags.ratio ?? ownRatio)
        return {
          action: 'EDITS',
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
