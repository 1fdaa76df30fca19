import { drawingFacts } from '../facts.ts'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../../gateway/exchange.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { ApiDeps } from '../../define/operation.ts'
import { drawPrompt, versionOf } from '../composition.ts'
import {
  type DrawingImage,
  identityOfImage,
  imagesInPrompt,
  listOf,
  receiveDrawingImages,
  requireImages,
  withDrawing,
} from '../images.ts'
import { readPrompt } from '../prompt.ts'
import { drawingSettings, type DrawingSettings } from '../settings.ts'
import { defineSubmission } from './submission.ts'

/** Text to image (§4.4). */
export const mjImagine = defineSubmission(
  { name: 'mj.imagine', ...drawingFacts('submit', 'POST /mj/submit/imagine') },
  (deps: ApiDeps) => {
    const settings = deps.use(drawingSettings)

    return {
      action: 'IMAGINE',
      prepare: (body, media) => prepareImages(body, media, settings),
      parse: ({ body, prepared }) => {
        const prompt = readPrompt(body['prompt'], settings)
        const images = requireImages(prepared)
        // A single image without words is not a prompt.
        const problem =
          prompt.text === '' && images.length <= 1
            ? '[Invalid prompt] The prompt has no words. Describe what is to be seen, or name two pictures.'
            : undefined
        return {
          prompt,
          images,
          problem: prompt.problem ?? problem,
          version: versionOf(prompt, body['botType']),
        }
      },
      respond: (x, { prompt, images, problem, version }) => ({
        action: 'IMAGINE',
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
): MaybePromise<PreparedBody<readonly DrawingImage[]>> {
  const { base64 } = body
  const single = base64 === undefined || base64 === null || base64 === '' ? [] : [base64]
  const sent = [...listOf(body['base64Array']), ...single]
  const named = imagesInPrompt(body['prompt'], promptLimitCharacters)
  const combine = (
    base64Array: readonly DrawingImage[],
    inPrompt: readonly DrawingImage[],
  ): PreparedBody<readonly DrawingImage[]> => ({
    prepared: [...inPrompt, ...base64Array],
    fields: {
      ...body,
      base64Array: base64Array.map(identityOfImage),
      named: inPrompt.map(identityOfImage),
    },
  })
  if (sent.length === 0 && named.length === 0) return combine([], [])
  return receiveDrawingImages(sent, media, imageLimitBytes).then(async (images) =>
    combine(images, await receiveDrawingImages(named, media, imageLimitBytes)),
  )
}
