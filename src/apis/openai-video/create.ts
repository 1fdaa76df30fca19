import * as z from 'zod/mini'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { taskError } from '../../gateway/replies/errors.ts'
import { jsonHeaders, jsonReply } from '../../gateway/replies/reply.ts'
import { taskDirectives } from '../../scenario/directives.ts'
import { may, named } from '../../scenario/schema/fields.ts'
import { defineForm } from '../define/form.ts'
import { defineOperation, describeRequest } from '../define/operation.ts'
import { imageSentence, refuseVideo, videoForm } from '../video/form.ts'
import type { Core } from '../../gateway/core.ts'
import { receiveImages, type RequestImage } from '../video/image.ts'
import { findModel, readVideoRequest, type VideoRequest } from '../video/request.ts'
import { videoSettings, type VideoSettings } from '../video/settings.ts'
import { parseSize } from '../../media/size.ts'
import { adviceHeader, submitVideo } from '../video/submit.ts'
import { describeVideoAnswer, videoRecord } from './retrieve.ts'

const portraitAndLandscape = ['720x1280', '1280x720']
const soraSizes: ReadonlyMap<string, readonly string[]> = new Map([
  ['sora-2', portraitAndLandscape],
  ['sora-2-pro', [...portraitAndLandscape, '1024x1792', '1792x1024']],
])

const referenceSentence = imageSentence.replace('{field}', 'input_reference')

/** The fields of the gateway's own form, and those that SDKs make of an object in a multipart body. */
const createForm = defineForm(
  () =>
    named(
      'VideoCreateRequest',
      z.extend(videoForm.schema, {
        'input_reference[image_url]': may(z.string(referenceSentence), '`input_reference`, as SDKs name it.'),
        'input_reference[file_id]': may(z.unknown(), 'There are no uploaded files.'),
      }),
      'A request for a video.',
    ),
  refuseVideo,
  { takesMultipart: true },
)

/** A submission in the form of OpenAI's Videos API. */
export const videosCreate = defineOperation(
  {
    name: 'videos.create',
    summary: 'Create a video',
    role: 'submit',
    tasks: 'video',
    route: 'POST /v1/videos',
    form: createForm,
    schema: describeVideoAnswer,
  },
  (core: Core) => {
    const settings = withApiDefaults(core.use(videoSettings))

    return {
      describe: ({ body: { model, prompt } }) => describeRequest(model, prompt),
      ...(settings.promptDirectives && { directives: taskDirectives }),
      prepare: (body, media) => receiveImages(withReference(body), media, settings.imageLimitBytes),
      check: ({ body: { model } }) => void findModel(model, settings),
      parse: ({ prepared }, body) => readCreate(body, prepared, settings),
      respond: (x, request) => {
        const task = submitVideo(x, request, core)
        const headers = { ...jsonHeaders, ...adviceHeader(request) }
        return jsonReply(200, videoRecord(task, x.tasks.view(task, x.now), x.origin, core), headers)
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
  body: z.output<typeof createForm.schema>,
  images: readonly RequestImage[],
  settings: VideoSettings,
): VideoRequest {
  const { 'input_reference[image_url]': url, 'input_reference[file_id]': file } = body
  if (file !== undefined && url === undefined) throw taskError(400, 'invalid_request', referenceSentence)
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
