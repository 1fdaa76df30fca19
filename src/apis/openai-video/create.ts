import type { JsonObject } from '../../gateway/bodies/json.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonHeaders, jsonReply } from '../../gateway/replies/reply.ts'
import { taskDirectives } from '../../scenario/magic.ts'
import { defineOperation, type ApiDeps } from '../define/operation.ts'
import { receiveImages, type RequestImage } from '../video/image.ts'
import { readVideoRequest, type VideoRequest } from '../video/request.ts'
import { videoSettings, type VideoSettings } from '../video/settings.ts'
import { parseSize } from '../video/size.ts'
import { adviceHeader, describeVideo, submitVideo } from '../video/submit.ts'
import { videoRecord } from './retrieve.ts'

const portraitAndLandscape = ['720x1280', '1280x720']
const soraSizes: ReadonlyMap<string, readonly string[]> = new Map([
  ['sora-2', portraitAndLandscape],
  ['sora-2-pro', [...portraitAndLandscape, '1024x1792', '1792x1024']],
])

/** A submission in the form of OpenAI's Videos API. */
export const videosCreate = defineOperation(
  { name: 'videos.create', role: 'submit', tasks: 'video', route: 'POST /v1/videos' },
  (deps: ApiDeps) => {
    const settings = withApiDefaults(deps.use(videoSettings))

    return {
      describe: describeVideo,
      ...(settings.promptDirectives && { directives: taskDirectives }),
      prepare: (body, media) => receiveImages(withReference(body), media, settings.imageLimitBytes),
      parse: ({ body, prepared }) => readCreate(body, prepared, settings),
      respond: (x, request) => {
        const task = submitVideo(x, request, deps)
        const headers = { ...jsonHeaders, ...adviceHeader(request) }
        return jsonReply(200, videoRecord(task, x.tasks.view(task, x.now), x.origin, deps), headers)
      },
    }
  },
)

/**
 * Checks a submission: like the gateway's own, with the defaults of this API.
 *
 * @assumed §4.1 the Videos API is undocumented; wire §4.1: four seconds, 720x1280, and sizes by model.
 * @throws {GatewayError} in the envelope of tasks.
 */
function readCreate(
  body: JsonObject,
  images: readonly RequestImage[],
  settings: VideoSettings,
): VideoRequest {
  const request = readVideoRequest(body, images, settings)
  const sizes = soraSizes.get(request.model)
  const { width, height } = request.size
  if (sizes?.includes(`${width}x${height}`) !== false) return request
  const hint = `Use ${sizes.join(', ')}.`
  throw taskError(400, 'invalid_size', `${request.model} size is invalid`).withHint(hint)
}

/**
 * Reads an image that an SDK references by URL: an object, whose fields have brackets in a form. In JSON, the gateway
 * requires a string (wire §4.1). There are no uploaded files.
 */
function withReference(body: JsonObject): JsonObject {
  const { 'input_reference[image_url]': url, 'input_reference[file_id]': file } = body
  if (url === undefined && file === undefined) return body
  return { ...body, input_reference: url ?? { file_id: file! } }
}

/** The defaults of this API, unless they are outside the configured bounds. */
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
