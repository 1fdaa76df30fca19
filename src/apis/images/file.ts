import type { Exchange } from '../../gateway/exchange.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import { upstreamError, type GatewayError } from '../../gateway/replies/errors.ts'
import { cachedForADay } from '../../gateway/replies/headers.ts'
import { mediaReply } from '../../gateway/replies/reply.ts'
import type { FileSpec, PictureSpec } from '../../media/spec.ts'
import { drawnSizeOf, type Photo } from '../../pictures/composition/drawing.ts'
import { readMediaShape } from '../../scenario/rules/rule.ts'
import { defineOperation, type Behaviour } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import { storedResponses } from '../text/store.ts'
import { refuseImages } from './refusals.ts'

const folder = '/v1/images/files/'

/** Stores an image. @returns its URL, which names the namespace, since a client without a key requests it. */
export function storeImage(
  x: Exchange,
  id: string,
  spec: PictureSpec | FileSpec,
  format: string,
  { use }: Core,
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
 * @assumed §4.6 the URL of an image is undocumented; a URL of this server, like wire §7.5.
 */
export const imagesFile = defineOperation(
  {
    name: 'images.file',
    summary: 'Download an image',
    role: 'download',
    route: 'GET HEAD /v1/images/files/{file}',
    access: 'public',
    schema: () => ({
      answer: {
        bytes: ['image/png', 'image/jpeg', 'image/webp'],
        others: { '304': 'Not modified.', '206': 'A part of the bytes.' },
      },
    }),
  },
  (core: Core): Behaviour<unknown, PictureSpec | FileSpec> => ({
    refuse: refuseImages,
    parse: (x) => {
      const spec = findImage(x.params['file']!, x, core)
      if (!spec) throw unknownImage()
      return spec
    },
    respond: (x, spec) => {
      const failed = { status: 500, body: JSON.stringify({ error: { message: 'http_get_image_failed' } }) }
      return mediaReply(replaceMedia(spec, x), x.request, { headers: cachedForADay, failed })
    },
  }),
)

/** @assumed §7 the answer to an image that is not stored any more is undocumented; a 404, as for an unknown task. */
function unknownImage(): GatewayError {
  return upstreamError(404, 'Image not found', { type: 'invalid_request_error', code: 'image_not_found' })
}

function findImage(
  file: string,
  { namespace, now }: Exchange,
  { use, retention }: Core,
): PictureSpec | FileSpec | undefined {
  const [, id] = /^(img-[0-9A-Za-z]{24})\.\w+$/.exec(file) ?? []
  const stored = id === undefined ? undefined : use(storedResponses).get(namespace.name, id)
  if (stored?.response['object'] !== 'image' || now - stored.at >= (retention?.ageMs ?? Infinity))
    return undefined
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
export function withStoredDrawing(photo: Photo, x: Exchange, core: Core): Photo {
  const [, file] = photo.digest === undefined ? (photo.url?.split(folder) ?? []) : []
  const spec = file === undefined ? undefined : findImage(file, x, core)
  if (spec?.kind !== 'picture') return photo
  return { ...photo, ...(spec.size ?? drawnSizeOf(spec.drawing)), drawing: spec.drawing }
}
