import * as z from 'zod/mini'
import type { JsonObject } from '../../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../../gateway/exchange.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { Receiving } from '../../jobs/compose/composed.ts'
import { drawPrompt, versionOf } from '../composition.ts'
import { imagesInPrompt, listOf, maxImages, receiveDrawingImages, requireImages } from '../images.ts'
import { readPrompt } from '../prompt.ts'
import { identityOfPhoto, type RequestPhoto } from '../../painting/photos.ts'
import { submission } from './submission.ts'
import { images, optionalImage, prompt, submissionForm } from './form.ts'

const form = submissionForm('ImagineRequest', 'Draw four images.', () => ({
  prompt: prompt(),
  base64Array: z.optional(images({ maxItems: maxImages })),
  base64: optionalImage(),
}))

/** Text to image (§4.4). */
export const imagine = submission('submit', {
  path: 'imagine',
  summary: 'Draw four images',
  form,
  action: () => 'IMAGINE',
  prepare: prepareImages,
  make: ({ body, images: received, settings }) => {
    const prompt = readPrompt(body.prompt, settings)
    const images = requireImages(received)
    // A single image without words is not a prompt.
    const problem =
      prompt.text === '' && images.length <= 1
        ? '[Invalid prompt] The prompt has no words. Describe what is to be seen, or name two pictures.'
        : undefined
    const version = versionOf(prompt, body.botType)
    return {
      prompt: prompt.prompt,
      version,
      flagged: prompt.flags.mode,
      seed: prompt.flags.seed,
      result: (seed, photos) => drawPrompt(prompt, photos, version)(seed),
      shape: prompt.shape,
      problem: prompt.problem ?? problem,
    }
  },
})

/** Decodes the images in the prompt and in the body. `base64` is the old name for a single image. */
function prepareImages(
  body: JsonObject,
  { media, settings: { promptLimitCharacters, imageLimitBytes } }: Receiving,
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
