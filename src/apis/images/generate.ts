import { writeEvents } from '../text/events/write-events.ts'
import { textSettings } from '../text/settings.ts'
import { defineOperation, describeRequest, type Behaviour } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { imageForm, type ImageBody } from './form.ts'
import { readImageRequest, type ImageRequest, imageDirectives, imageDirectiveUsage } from './request.ts'
import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { Exchange } from '../../gateway/exchange.ts'
import { GatewayError, upstreamError } from '../../gateway/replies/errors.ts'
import { jsonReply, type Reply } from '../../gateway/replies/reply.ts'
import { requireModel, requireModelName, type Catalog } from '../define/catalog.ts'
import { ImageMarks } from '../painting/painting.ts'
import { messageFor } from '../../text/directives.ts'
import { cutInHalf, streamHeaders } from '../text/stream.ts'
import {
  imageId,
  imagesAnswer,
  makeImages,
  type ImageSources,
  imageStream,
  type StreamName,
} from './answer.ts'
import { storeImage } from './file.ts'
import { errorWords, moderationBlocked, refuseImages } from './refusals.ts'

/**
 * Images of a prompt, in the form of OpenAI's API.
 * @assumed §4.6 OpenAI's images are undocumented; request and response are those of OpenAI's SDK.
 */
export const imagesGenerate = defineOperation(
  {
    name: 'images.generate',
    summary: 'Make images',
    role: 'text',
    images: 'only',
    route: 'POST /v1/images/generations',
    form: imageForm,
  },
  (core: Core): Behaviour<undefined, ImageRequest, ImageBody> => {
    const { promptDirectives } = core.use(textSettings)
    return {
      ...imageBehaviour(core),
      prepare: (body) => ({ prepared: undefined, fields: body }),
      parse: (_x, body) => readImageRequest(body, promptDirectives, core.quirks.imageFormat),
      respond: (x, request) =>
        respondWithImages('image_generation', request, { photos: [], mask: undefined }, x, core),
    }
  },
)

/** The behaviour that both operations share. Only their fields differ. */
export function imageBehaviour({
  use,
}: Core): Pick<
  Behaviour<unknown, unknown>,
  'refuse' | 'describe' | 'directives' | 'directiveUsage' | 'check'
> {
  const { catalog, promptDirectives } = use(textSettings)
  return {
    refuse: refuseImages,
    describe: ({ body: { model, prompt } }) => describeRequest(model, prompt),
    ...(promptDirectives && {
      directives: imageDirectives,
      directiveUsage: imageDirectiveUsage,
    }),
    check: ({ body }) => checkModel(body['model'], catalog),
  }
}

/** The gateway itself refuses a model. Its refusal names the field, too. */
function checkModel(model: JsonValue | undefined, catalog: Catalog): void {
  try {
    requireModel(catalog, requireModelName(model), 'drawing')
  } catch (error) {
    if (error instanceof GatewayError) error.param = 'model'
    throw error
  }
}

/**
 * Carries a request out.
 * @throws {GatewayError} for a key that can't pay, and if the prompt wants a refusal.
 */
export function respondWithImages(
  name: StreamName,
  request: ImageRequest,
  sources: ImageSources,
  x: Exchange,
  core: Core,
): Reply {
  const { fault, blocked, isUrl, partialImages } = request
  const isStream = partialImages !== undefined
  if (blocked !== undefined) throw moderationBlocked(blocked === '' ? undefined : blocked)
  if (fault?.kind === 'error' && (fault.afterTokens === 0 || !isStream)) {
    throw upstreamError(fault.status, fault.message, errorWords(fault.status))
  }
  const made = makeImages(request, sources, x, core.use(textSettings).timing)
  const marks = new ImageMarks(x)
  const failure = { message: messageFor(500), type: 'server_error', param: null, code: null }
  if (isStream) {
    const body = imageStream(name, made, marks, x)
    x.encode = (answer) => writeEvents(answer, core.quirks)
    return {
      status: 200,
      headers: streamHeaders,
      body,
      delayMs: 0,
      inserts: marks.inserts({ error: failure }),
    }
  }
  const images = made.specs.map((spec, index) =>
    isUrl ? storeImage(x, imageId(x, index), { ...spec }, request.format, core) : marks.add(spec),
  )
  const reply = jsonReply(200, imagesAnswer(made, images))
  const answered: Reply = { ...reply, delayMs: made.durationMs }
  if (fault) return { ...answered, body: cutInHalf(String(reply.body)) }
  return isUrl ? answered : { ...answered, inserts: marks.inserts({ error: failure }) }
}
