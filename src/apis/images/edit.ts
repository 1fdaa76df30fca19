import { isObject } from '../../engine/is-object.ts'
import { textSettings } from '../text/settings.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'
import type { GatewayError } from '../../gateway/replies/errors.ts'
import type { MediaSource } from '../../media/source.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { decodeImage, identityOfPhoto, receivePhoto, type RequestPhoto } from '../painting/photos.ts'
import { defineOperation, type Behaviour } from '../define/operation.ts'
import type { Core } from '../../gateway/core.ts'
import type { ImageSources } from './answer.ts'
import { withStoredDrawing } from './file.ts'
import { editForm, maxEditedImages, type ImageBody } from './form.ts'
import { invalidField, missing } from './refusals.ts'
import { readImageRequest, type ImageRequest } from './request.ts'
import { imageBehaviour, respondWithImages } from './generate.ts'

interface PreparedEdit {
  /** With the name of its field. */
  readonly photos: readonly (readonly [field: string, photo: RequestPhoto])[]
  readonly mask: RequestMask | undefined
}

/** A mask with its size, or why it is refused. */
type RequestMask = { readonly digest: string; readonly photo: RequestPhoto } | { readonly refused: string }

interface EditInput {
  readonly request: ImageRequest
  readonly sources: ImageSources
}

/**
 * Images changed as a prompt says, in the form of OpenAI's API.
 * @assumed §4.6 OpenAI's edits of images are undocumented; request and response are those of OpenAI's SDK.
 */
export const imagesEdit = defineOperation(
  {
    name: 'images.edit',
    summary: 'Change images',
    role: 'text',
    images: 'only',
    route: 'POST /v1/images/edits',
    form: editForm,
  },
  (core: Core): Behaviour<PreparedEdit, EditInput, ImageBody> => {
    const { promptDirectives, imageLimitBytes } = core.use(textSettings)
    return {
      ...imageBehaviour(core),
      prepare: (body, media) => prepareEdit(body, media, imageLimitBytes),
      parse: ({ prepared }, body) => ({
        request: readImageRequest(body, promptDirectives, core.quirks.imageFormat),
        sources: requireSources(prepared),
      }),
      respond: (x, { request, sources }) => {
        const photos = sources.photos.map((photo) => withStoredDrawing(photo, x, core))
        return respondWithImages('image_edit', request, { ...sources, photos }, x, core)
      },
    }
  },
)

async function prepareEdit(
  body: JsonObject,
  media: MediaSource,
  limitBytes: number,
): Promise<PreparedBody<PreparedEdit>> {
  const given = listImages(body)
  const isTooMany = given.length > maxEditedImages
  const photos = await Promise.all(
    given.map(async ([field, value]): Promise<[string, RequestPhoto]> => {
      if (isTooMany)
        return [field, { refused: `it is one of ${given.length}, at most ${maxEditedImages} are taken` }]
      return [field, await receivePhoto(value, media, limitBytes)]
    }),
  )
  const givenMask = body['mask'] ?? undefined
  const mask = await receiveMask(givenMask && (urlOf(givenMask) ?? null), media, limitBytes)
  const { image: _image, images: _images, mask: _mask, ...others } = body
  const fields = {
    ...others,
    image: photos.map(([, photo]) => identityOfPhoto(photo)),
    ...(mask && { mask: 'digest' in mask ? mask.digest : mask.refused }),
  }
  return { prepared: { photos, mask }, fields }
}

/** The images of a body: `image` in forms, `images` in JSON; each alone or in a list. */
function listImages(body: JsonObject): [field: string, value: JsonValue][] {
  return ['image', 'images'].flatMap((name) => {
    const value = body[name] ?? undefined
    if (value === undefined) return []
    if (!Array.isArray(value)) return [[name, urlOf(value) ?? null] as [string, JsonValue]]
    return value.map((each, index): [string, JsonValue] => [`${name}[${index}]`, urlOf(each) ?? null])
  })
}

/** An image in JSON is an object with its URL. Files can't be uploaded here, so their ids name nothing. */
function urlOf(value: JsonValue | undefined): JsonValue | undefined {
  return isObject(value) ? (value['image_url'] ?? value['file_id']) : (value ?? undefined)
}

async function receiveMask(
  value: JsonValue | undefined,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestMask | undefined> {
  if (value === undefined || value === '') return undefined
  if (typeof value !== 'string') return { refused: 'it is not a text' }
  const mask = await decodeImage(
    value,
    limitBytes,
    async (bytes) => ({
      ...(await media.receiveMask(bytes, 'transparent')),
      photo: await media.receiveImage(bytes),
    }),
    '',
  )
  return typeof mask === 'string' ? { refused: mask } : mask
}

/**
 * Checks the images of an edit.
 * @throws {GatewayError} if one is refused, or none is there, and for a mask of another size than the first image.
 */
function requireSources({ photos: given, mask }: PreparedEdit): ImageSources {
  if (given.length === 0) throw missing('image')
  const photos = given.map(([field, photo]): Photo => {
    if (!('refused' in photo)) return photo
    throw invalidImage(field, photo.refused)
  })
  if (!mask) return { photos, mask: undefined }
  const problem = 'refused' in mask ? mask.refused : maskProblem(mask.photo, photos[0]!)
  if (problem !== undefined) throw invalidImage('mask', problem)
  return { photos, mask: 'digest' in mask ? mask.digest : undefined }
}

function invalidImage(field: string, problem: string): GatewayError {
  const message = `Invalid image file for '${field}': ${problem.replace(/\.$/, '')}.`
  return invalidField(field, 'invalid_image_file', message)
}

function maskProblem(mask: RequestPhoto, image: Photo): string | undefined {
  if ('refused' in mask) return mask.refused
  const sizeOf = ({ width, height }: Photo): string => `${width}x${height}`
  if (image.digest === undefined || sizeOf(mask) === sizeOf(image)) return undefined
  return `it has ${sizeOf(mask)} pixels, while the image has ${sizeOf(image)}`
}
