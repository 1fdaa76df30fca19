import { textSettings } from '../text/settings.ts'
import type { Exchange, Route } from '../../gateway/exchange.ts'
import { upstreamError } from '../../gateway/replies/errors.ts'
import { jsonReply, type Reply } from '../../gateway/replies/reply.ts'
import type { ApiDeps, Description } from '../define/operation.ts'
import { ImageMarks } from '../painting/marks.ts'
import { messageFor } from '../text/prompt-fault.ts'
import { cutInHalf, streamHeaders } from '../text/stream.ts'
import { imageId, imagesAnswer, makeImages, type ImageSources } from './answer.ts'
import { imageDirectives, imageDirectiveUsage } from './directives.ts'
import { storeImage } from './file.ts'
import { errorWords, moderationBlocked, refuseImages } from './refusals.ts'
import type { ImageRequest } from './request.ts'
import { imageStream, type StreamName } from './stream.ts'

/** What both operations have in common besides their fields. */
export function imageBehaviour({
  use,
}: ApiDeps): Pick<Route, 'refuse' | 'describe' | 'directives' | 'directiveUsage'> {
  return {
    refuse: refuseImages,
    describe: describeImages,
    ...(use(textSettings).promptDirectives && {
      directives: imageDirectives,
      directiveUsage: imageDirectiveUsage,
    }),
  }
}

function describeImages({ body: { model, prompt } }: Exchange): Description {
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof prompt === 'string' && { prompt }),
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
  deps: ApiDeps,
): Reply {
  const { fault, blocked, isUrl, partialImages } = request
  const isStream = partialImages !== undefined
  if (blocked !== undefined) throw moderationBlocked(blocked === '' ? undefined : blocked)
  if (fault?.kind === 'error' && (fault.afterTokens === 0 || !isStream)) {
    throw upstreamError(fault.status, fault.message, errorWords(fault.status))
  }
  const made = makeImages(request, sources, x, deps.use(textSettings).timing)
  const marks = new ImageMarks(x)
  const failure = { message: messageFor(500), type: 'server_error', param: null, code: null }
  if (isStream) {
    const body = imageStream(name, made, marks, x)
    return {
      status: 200,
      headers: streamHeaders,
      body,
      delayMs: 0,
      inserts: marks.inserts({ error: failure }),
    }
  }
  const images = made.specs.map((spec, index) =>
    isUrl ? storeImage(x, imageId(x, index), { ...spec }, request.format, deps) : marks.add(spec),
  )
  const reply = jsonReply(200, imagesAnswer(made, images))
  const answered: Reply = { ...reply, delayMs: made.durationMs }
  if (fault) return { ...answered, body: cutInHalf(String(reply.body)) }
  return isUrl ? answered : { ...answered, inserts: marks.inserts({ error: failure }) }
}
