import * as z from 'zod/mini'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../../gateway/exchange.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { Core } from '../../../gateway/core.ts'
import { drawingFacts } from '../lifecycle.ts'
import { drawPrompt, versionOf } from '../composition.ts'
import {
  imagesInPrompt,
  maxImages,
  listOf,
  receiveDrawingImages,
  requireImages,
  withDrawing,
} from '../images.ts'
import { readPrompt } from '../prompt.ts'
import { drawingSettings, type DrawingSettings } from '../settings.ts'
import { identityOfPhoto, type RequestPhoto } from '../../painting/photos.ts'
import { defineSubmission } from './submission.ts'
import { images, optionalImage, prompt, submissionForm } from './form.ts'

const form = submissionForm('ImagineRequest', 'Draw four images.', () => ({
  prompt: prompt(),
  base64Array: z.optional(images({ maxItems: maxImages })),
  base64: optionalImage(),
}))

/** Text to image (§4.4). */
export const mjImagine = defineSubmission(
  {
    name: 'mj.imagine',
    summary: 'Draw four images',
    ...drawingFacts('submit', 'POST /mj/submit/imagine'),
    form,
  },
  (core: Core) => {
    const settings = core.use(drawingSettings)

    return {
      action: 'IMAGINE',
      prepare: (body, media) => prepareImages(body, media, settings),
      parse: ({ prepared }, { prompt: text, botType }) => {
        const prompt = readPrompt(text, settings)
        const images = requireImages(prepared)
        // A single image without words is not a prompt.
        const problem =
          prompt.text === '' && images.length <= 1
            ? '[Invalid prompt] The prompt has no words. Describe what is to be seen, or name two pictures.'
            : undefined
        return { prompt, images, problem: prompt.problem ?? problem, version: versionOf(prompt, botType) }
      },
      respond: (x, { prompt, images, problem, version }) => ({
        prompt: prompt.prompt,
        version,
        flagged: prompt.flags.mode,
        seed: prompt.flags.seed,
        result: drawPrompt(
          prompt,
          images.map((image) => withDrawing(image, x)),
          version,
        ),
        shape: prompt.shape,
        problem,
      }),
    }
  },
)

/** Decodes the images in the prompt and in the body. `base64` is the old name for a single image. */
function prepareImages(
  body: JsonObject,
  media: MediaSource,
  { promptLimitCharacters, imageLimitBytes }: DrawingSettings,
): MaybePromise<PreparedBody<readonly RequestPhoto[]>> {
  const { base64, base64Array: list, prompt } = body
  const single = base64 === undefined || base64 === null || base64 === '' ? [] : [base64]
  const sent = [...listOf(list), ...single]
  const named = imagesInPrompt(prompt, promptLimitCharacters)
  const combine = (
    base64Array: readonly RequestPhoto[],
    inPrompt: readonly RequestPhoto[],
  ): PreparedBody<readonly RequestPhoto[]> => ({
    prepared: [...inPrompt, ...base64Array],
    fields: {
      ...body,
      base64Array: base64Array.map(identityOfPhoto),
      named: inPrompt.map(identityOfPhoto),
    },
  })
  if (sent.length === 0 && named.length === 0) return combine([], [])
  return receiveDrawingImages(sent, media, imageLimitBytes).then(async (images) =>
    combine(images, await receiveDrawingImages(named, media, imageLimitBytes)),
  )
}
