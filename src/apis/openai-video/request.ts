import { taskError } from '../../gateway/replies/errors.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { RequestImage } from '../video/image.ts'
import { readVideoRequest, type VideoRequest } from '../video/request.ts'
import type { VideoSettings } from '../video/settings.ts'
import { parseSize } from '../video/size.ts'
import { askedClip, imageOf } from '../video/task.ts'

const portraitAndLandscape = ['720x1280', '1280x720']
const soraSizes: ReadonlyMap<string, readonly string[]> = new Map([
  ['sora-2', portraitAndLandscape],
  ['sora-2-pro', [...portraitAndLandscape, '1024x1792', '1792x1024']],
])

/**
 * Checks a create: the gateway's own submission with this API's defaults.
 *
 * @assumed §4.1 the Videos API is not shown; wire §4.1: four seconds, 720x1280, and sizes by model.
 * @throws {GatewayError} in the envelope of tasks.
 */
export function readCreate(body: JsonObject, image: RequestImage, settings: VideoSettings): VideoRequest {
  const request = readVideoRequest(body, image, withApiDefaults(settings))
  const sizes = soraSizes.get(request.model)
  const { width, height } = request.size
  if (sizes?.includes(`${width}x${height}`) === false) {
    throw taskError(400, 'invalid_size', `${request.model} size is invalid`).withHint(
      `Use ${sizes.join(', ')}.`,
    )
  }
  return request
}

/**
 * A create with the picture that it names by its address. This API takes an object for that, whose fields its clients write
 * into forms in brackets; in JSON the gateway wants a text (wire §4.1). Files of their own there are none.
 */
export function withReference(body: JsonObject): JsonObject {
  const { 'input_reference[image_url]': url, 'input_reference[file_id]': file } = body
  if (url === undefined && file === undefined) return body
  return { ...body, input_reference: url ?? { file_id: file! } }
}

/**
 * Checks a remix: a new prompt for an old video, whose model, size and length it keeps.
 *
 * @assumed §4.1 remix is not shown; wire §4.3.
 * @throws {GatewayError} for a missing prompt.
 */
export function readRemix(body: JsonObject, origin: Task, settings: VideoSettings): VideoRequest {
  const { prompt } = body
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw taskError(400, 'invalid_request', 'field prompt is required')
  }
  const clip = askedClip(origin)
  const request = readVideoRequest({ model: clip.model, prompt }, null, { ...settings, models: [] })
  return {
    ...request,
    seconds: clip.seconds,
    size: { width: clip.width, height: clip.height },
    image: imageOf(origin.record.request),
    seed: clip.seed,
    action: 'remixGenerate',
  }
}

/** Bounds that leave no room for this API's defaults keep the gateway's. */
function withApiDefaults(settings: VideoSettings): VideoSettings {
  const { seconds, size } = settings
  const { width, height } = parseSize(portraitAndLandscape[0]!)!
  const fits = width >= size.min && height <= size.max
  return {
    ...settings,
    seconds: seconds.min <= 4 && seconds.max >= 4 ? { ...seconds, default: 4 } : seconds,
    size: fits ? { ...size, default: portraitAndLandscape[0]! } : size,
  }
}
