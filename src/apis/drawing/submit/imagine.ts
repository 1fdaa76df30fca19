import type { JsonObject, JsonValue } from '../../../gateway/bodies/json.ts'
import type { PreparedBody, Route } from '../../../gateway/route.ts'
import type { MediaSource } from '../../../media/source.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { readFlags } from '../flags.ts'
import { meaningOfImage, receiveDrawingImage, type DrawingImage } from '../images/images.ts'
import { imaginedShows, versionOf } from '../images/imagined.ts'
import { readPrompt, type DrawingPrompt } from '../images/prompt.ts'
import { invalidDrawing } from '../refusals.ts'
import type { DrawingTasks } from '../task.ts'
import { taskRoute } from '../task-route.ts'

/** More pictures than anybody sends; they are read at once. */
export const maxImages = 10

/** Text to image (§4.4). */
export function imagineRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return taskRoute<
    readonly DrawingImage[],
    { prompt: DrawingPrompt; version: string; images: readonly Photo[] }
  >(
    {
      operation: 'mj.imagine',
      action: () => 'IMAGINE',
      prepare: (body, media) => {
        const sent = sentImages(body)
        const named = namedImages(body['prompt'], settings.promptLimitCharacters)
        return sent.length === 0 && named.length === 0
          ? withImages(body, [], [])
          : receiveBoth(body, { sent, named }, media, settings.imageLimitBytes)
      },
      validate: (body, received) => {
        const prompt = readPrompt(body['prompt'], settings)
        const images = usable(received)
        return {
          prompt: withEnough(prompt, images.length),
          version: versionOf(prompt, body['botType']),
          images,
        }
      },
      wish: ({ prompt, version, images }, shown) => {
        const { flags, shape, problem } = prompt
        return {
          action: 'IMAGINE',
          prompt: prompt.prompt,
          version,
          flagged: flags.mode,
          seed: flags.seed,
          shows: imaginedShows(prompt, images.map(shown), version),
          shape,
          problem,
        }
      },
    },
    tasks,
  )
}

async function receiveBoth(
  body: JsonObject,
  values: { sent: readonly JsonValue[]; named: readonly string[] },
  media: MediaSource,
  limitBytes: number,
): Promise<PreparedBody<readonly DrawingImage[]>> {
  const sent = await receiveList(values.sent, media, limitBytes)
  return withImages(body, sent, await receiveList(values.named, media, limitBytes))
}

function withImages(
  body: JsonObject,
  sent: readonly DrawingImage[],
  named: readonly DrawingImage[],
): PreparedBody<readonly DrawingImage[]> {
  const meanings = { base64Array: sent.map(meaningOfImage), named: named.map(meaningOfImage) }
  return { prepared: [...named, ...sent], fields: { ...body, ...meanings } }
}

/** Takes several pictures at once; of more than there may be none is even decoded. */
export async function receiveList(
  values: readonly JsonValue[],
  media: MediaSource,
  limitBytes: number,
): Promise<readonly DrawingImage[]> {
  if (values.length > maxImages)
    return values.map(() => ({ refused: `is one of ${values.length}, at most ${maxImages} are taken` }))
  return Promise.all(values.map((value) => receiveDrawingImage(value, media, limitBytes)))
}

/**
 * The pictures, when all of them can be drawn with.
 * @throws {GatewayError} in the back end's words, when one can't.
 */
export function usable(images: readonly DrawingImage[]): readonly Photo[] {
  if (images.length > maxImages) {
    throw invalidDrawing(
      'imageCount',
      `The request has ${images.length} pictures; send at most ${maxImages}.`,
    )
  }
  return images.map((image, index) => {
    if (!('refused' in image)) return image
    throw invalidDrawing('brokenImage', `Picture ${index + 1} of the request: ${image.refused}`)
  })
}

/** A list of pictures; `base64` is its old name for one. */
function sentImages(body: { readonly [name: string]: JsonValue | undefined }): readonly JsonValue[] {
  const { base64Array, base64 } = body
  const one = base64 === undefined || base64 === null || base64 === '' ? [] : [base64]
  return [...listOf(base64Array), ...one]
}

/** A field that holds a list; a single value counts as a list of one, and nothing as none. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null || value === '') return []
  return Array.isArray(value) ? value : [value]
}

/** The pictures that a prompt names; one that is too long will be refused anyway. */
export function namedImages(prompt: JsonValue | undefined, limitCharacters: number): readonly string[] {
  return typeof prompt === 'string' && prompt.length <= limitCharacters ? readFlags(prompt).images : []
}

/** A single picture without a word gives nothing to imagine. */
function withEnough(prompt: DrawingPrompt, images: number): DrawingPrompt {
  if (prompt.text !== '' || images > 1 || prompt.problem !== undefined) return prompt
  const problem =
    '[Invalid prompt] The prompt has no words. Describe what is to be seen, or name two pictures.'
  return { ...prompt, problem }
}
