import type { MediaSource } from '../../media/source.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { Core } from '../../gateway/core.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'
import { jobRequest } from '../jobs/job/stored-job.ts'
import type { Receiving } from '../jobs/compose/composed.ts'
import {
  decodeImage,
  identityOfPhoto,
  maxUrlLength,
  photoAt,
  receivePhoto,
  toPhoto,
  type RequestPhoto,
} from '../painting/photos.ts'
import { readFlags } from './flags.ts'
import { invalidDrawing } from './refusals.ts'

/** More than real requests have. They are decoded at the same time. */
export const maxImages = 10

/**
 * Decodes a client's image: a data URL, bare base64, or a URL, which is not fetched.
 *
 * @assumed §4.6 payloads are undocumented; wire §7.2.
 */
export function receiveDrawingImage(
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestPhoto> {
  return receivePhoto(value, media, limitBytes, { noText: 'is not a text', find: findImage })
}

/** Decodes a mask; undefined if there is none. */
export async function receiveMask(
  value: JsonValue | undefined,
  media: MediaSource,
  limitBytes: number,
): Promise<{ digest: string } | { refused: string } | undefined> {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') return { refused: 'is not a text' }
  const mask = await decodeImage(value, limitBytes, (bytes) => media.receiveMask(bytes), '')
  return typeof mask === 'string' ? { refused: mask } : mask
}

async function findImage(url: string, media: MediaSource): Promise<RequestPhoto> {
  if (url.length > maxUrlLength) return { refused: `is an address of ${url.length} characters` }
  const from = url.lastIndexOf(uploadFolder)
  const digest = from < 0 ? undefined : digestOfUpload(url.slice(from + uploadFolder.length))
  const known = digest === undefined ? undefined : (await media.received(digest))?.image
  return known ? toPhoto(known) : photoAt(url)
}

/** Decodes several images at the same time. Decodes none if there are too many. */
export async function receiveDrawingImages(
  values: readonly JsonValue[],
  media: MediaSource,
  limitBytes: number,
): Promise<readonly RequestPhoto[]> {
  if (values.length > maxImages)
    return values.map(() => ({ refused: `is one of ${values.length}, at most ${maxImages} are taken` }))
  return Promise.all(values.map((value) => receiveDrawingImage(value, media, limitBytes)))
}

/**
 * Checks that no image is refused.
 * @throws {GatewayError} in the back end's words.
 */
export function requireImages(images: readonly RequestPhoto[]): readonly Photo[] {
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

/** A field with a list; a single value counts as a list of one. */
export function listOf(value: unknown): readonly JsonValue[] {
  if (value === undefined || value === null || value === '') return []
  return (Array.isArray(value) ? value : [value]) as readonly JsonValue[]
}

/** The image URLs in a prompt, unless it is too long. */
export function imagesInPrompt(prompt: JsonValue | undefined, limitCharacters: number): readonly string[] {
  return typeof prompt === 'string' && prompt.length <= limitCharacters ? readFlags(prompt).images : []
}

/** Decodes the list of images in `base64Array`. */
export async function prepareImageList(
  body: JsonObject,
  { media, settings }: Receiving,
): Promise<PreparedBody<readonly RequestPhoto[]>> {
  const { base64Array } = body
  const images = await receiveDrawingImages(listOf(base64Array), media, settings.imageLimitBytes)
  return { prepared: images, fields: { ...body, base64Array: images.map(identityOfPhoto) } }
}

const imageUrl = /\/mj(?:-\w+)?(?:\/mj)?\/image\/(\d+)(?:[?#]|$)/

/** In characters of JSON. A drawing includes the drawings of its images, so it could grow without limit. */
export const maxDrawingLength = 65_536

/**
 * The drawing at a URL, if the URL belongs to a finished image of the same namespace. Its host is ignored.
 * @assumed §2.5 the URL of an image in another request is undocumented; it represents the image.
 */
export const findDrawing: Core['findDrawing'] = (url, { tasks, namespace, now }) => {
  const [, id] = imageUrl.exec(url) ?? []
  const task = id === undefined ? undefined : tasks.find(id)
  if (task?.record.namespace !== namespace.name || task.lifecycle.name !== 'drawing') return undefined
  const { pictures: [picture] = [], made } = jobRequest(task)
  const isDone = tasks.view(task, now).state === task.lifecycle.roles.success
  if (!isDone || made?.file !== undefined || picture?.kind !== 'picture') return undefined
  const { drawing } = picture
  return JSON.stringify(drawing).length <= maxDrawingLength ? drawing : undefined
}

/** The path of uploaded images. */
export const uploadFolder = '/mj/uploaded/'

/**
 * The file name of an uploaded image: the tag of its shard and its digest.
 * @example
 * uploadName('0f41', '03') // → '03-0f41.jpg'
 */
export function uploadName(digest: string, shardTag: string): string {
  return `${shardTag === '' ? '' : `${shardTag}-`}${digest}.jpg`
}

/** The digest in the file name of an uploaded image; undefined for other names. */
export function digestOfUpload(file: string): string | undefined {
  return /^(?:\d\d-)?([0-9a-f]{64})(?:\.jpg)?$/.exec(file)?.[1]
}
