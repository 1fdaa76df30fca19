import type { Exchange } from '../../gateway/exchange.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import { cachedForADay } from '../../gateway/replies/headers.ts'
import { mediaReply } from '../../gateway/replies/reply.ts'
import type { FileSpec, PictureSpec } from '../../media/spec.ts'
import { sizeOf } from '../../pictures/composition/drawing-size.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { readMediaShape } from '../../scenario/media-shape.ts'
import { defineOperation, type ApiDeps, type Behaviour } from '../define/operation.ts'
import { storedResponses } from '../text/store.ts'
import { refuseImages } from './refusals.ts'

const folder = '/v1/images/files/'

/** Stores an image. @returns its URL, which names the namespace, since a client without a key requests it. */
export function storeImage(
  x: Exchange,
  id: string,
  spec: PictureSpec | FileSpec,
  format: string,
  { use }: ApiDeps,
): string {
  const { namespace, caller, now, origin, basePath } = x
  use(storedResponses).put(namespace.name, id, {
    key: caller.hashedKey,
    at: now,
    completesAt: now,
    previous: null,
    turns: [],
    input: [],
    response: { object: 'image', spec: spec as unknown as JsonObject[string] },
  })
  const prefix = basePath === '' && namespace.name !== 'default' ? `/ns/${namespace.name}` : ''
  return `${origin}${prefix}${folder}${id}.${format}`
}

/**
 * An image by its URL. Keys are ignored, as for the images of drawings.
 * @assumed §4.6 where images lie is undocumented; a URL of this server, like wire §7.5.
 */
export const imagesFile = defineOperation(
  { name: 'images.file', role: 'download', route: 'GET HEAD /v1/images/files/{file}', access: 'public' },
  (deps: ApiDeps): Behaviour<unknown, PictureSpec | FileSpec> => ({
    refuse: refuseImages,
    parse: (x) => {
      const spec = findImage(x.params['file']!, x, deps)
      if (!spec) throw unknownImage()
      return spec
    },
    respond: (x, spec) => {
      const failed = { status: 500, body: JSON.stringify({ error: { message: 'http_get_image_failed' } }) }
      return mediaReply(replaceMedia(spec, x), x.request, { headers: cachedForADay, failed })
    },
  }),
)

/** @assumed §7 the answer to an image that is not stored any more is undocumented. */
function unknownImage(): GatewayError {
  return upstreamError(404, 'Image not found', { type: 'invalid_request_error', code: 'image_not_found' })
}

function findImage(
  file: string,
  { namespace, now }: Exchange,
  { use, retainedMs = Infinity }: ApiDeps,
): PictureSpec | FileSpec | undefined {
  const [, id] = /^(img-[0-9A-Za-z]{24})\.\w+$/.exec(file) ?? []
  const stored = id === undefined ? undefined : use(storedResponses).get(namespace.name, id)
  if (stored?.response['object'] !== 'image' || now - stored.at >= retainedMs) return undefined
  return stored.response['spec'] as unknown as PictureSpec | FileSpec
}

/** What a rule wants of this response. */
function replaceMedia(spec: PictureSpec | FileSpec, { decision }: Exchange): PictureSpec | FileSpec {
  const { file, width, height } = decision.media === undefined ? {} : readMediaShape(decision.media)
  if (file !== undefined) return { kind: 'file', path: file }
  return spec.kind === 'file' || width === undefined || height === undefined
    ? spec
    : { ...spec, size: { width, height } }
}

/** An image of a request, with its drawing if its URL is one of this simulator's. */
export function withStoredDrawing(photo: Photo, x: Exchange, deps: ApiDeps): Photo {
  const [, file] = photo.digest === undefined ? (photo.url?.split(folder) ?? []) : []
  const spec = file === undefined ? undefined : findImage(file, x, deps)
  if (spec?.kind !== 'picture') return photo
  return { ...photo, ...(spec.size ?? sizeOf(spec.drawing)), drawing: spec.drawing }
}
