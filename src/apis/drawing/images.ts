import { runInTurns } from '../../engine/clock/timers/steps.ts'
import { ImageRefused, type MediaSource, type ReceivedImage } from '../../media/source.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { decodeBase64 } from '../../gateway/bodies/base64.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'
import { digestOfUpload, uploadFolder } from './own-images.ts'
import { invalidDrawing } from './refusals.ts'
import { readFlags } from './flags.ts'

/** More than any real request has. They are decoded at the same time. */
export const maxImages = 10

/** An image of a request, or why it is refused. */
export type DrawingImage = Photo | { readonly refused: string }

/** Stands for an image that was not fetched: a grey square. */
const unknownImage = { width: 1024, height: 1024, colours: ['#808080'] } as const

/**
 * Decodes an image as clients send it: a data URL, bare base64, or a URL, which is fetched if the media source fetches
 * any.
 *
 * @assumed §4.6 payloads are undocumented; wire §7.2.
 */
export async function receiveDrawingImage(
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
): Promise<DrawingImage> {
  if (typeof value !== 'string' || value.trim() === '') return { refused: 'is not a text' }
  try {
    if (/^https?:\/\//i.test(value)) return await fetchImage(value, media)
    const bytes = await runInTurns(decodeBase64(value, limitBytes))
    if (typeof bytes === 'string') return { refused: bytes }
    return photoOf(await media.receiveImage(bytes))
  } catch (error) {
    if (error instanceof ImageRefused) return { refused: error.message }
    throw error
  }
}

/** Decodes a mask; undefined if there is none. */
export async function receiveMask(
  value: JsonValue | undefined,
  media: MediaSource,
  limitBytes: number,
): Promise<{ digest: string } | { refused: string } | undefined> {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') return { refused: 'is not a text' }
  const bytes = await runInTurns(decodeBase64(value, limitBytes))
  if (typeof bytes === 'string') return { refused: bytes }
  try {
    return { digest: (await media.receiveMask(bytes)).digest }
  } catch (error) {
    if (error instanceof ImageRefused) return { refused: error.message }
    throw error
  }
}

/** An image as a part of the identity of a request. */
export function identityOfImage(image: DrawingImage): string {
  if ('refused' in image) return `refused: ${image.refused}`
  return image.digest === undefined ? image.url! : `sha256:${image.digest}`
}

async function fetchImage(url: string, media: MediaSource): Promise<DrawingImage> {
  if (url.length > 4096) return { refused: `is an address of ${url.length} characters` }
  const from = url.lastIndexOf(uploadFolder)
  const digest = from < 0 ? undefined : digestOfUpload(url.slice(from + uploadFolder.length))
  const known = digest === undefined ? undefined : (await media.received(digest))?.image
  if (known) return photoOf(known)
  return media.fetchImage ? { ...photoOf(await media.fetchImage(url)), url } : { url, ...unknownImage }
}

function photoOf({ digest, width, height, colours }: ReceivedImage): Photo {
  return { digest, width, height, colours }
}

/** Decodes several images at the same time; none of too many. */
export async function receiveDrawingImages(
  values: readonly JsonValue[],
  media: MediaSource,
  limitBytes: number,
): Promise<readonly DrawingImage[]> {
  if (values.length > maxImages)
    return values.map(() => ({ refused: `is one of ${values.length}, at most ${maxImages} are taken` }))
  return Promise.all(values.map((value) => receiveDrawingImage(value, media, limitBytes)))
}

/**
 * Checks that no image is refused.
 * @throws {GatewayError} in the back end's words.
 */
export function requireImages(images: readonly DrawingImage[]): readonly Photo[] {
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
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null || value === '') return []
  return Array.isArray(value) ? value : [value]
}

/** The image URLs in a prompt, unless it is too long. */
export function imagesInPrompt(prompt: JsonValue | undefined, limitCharacters: number): readonly string[] {
  return typeof prompt === 'string' && prompt.length <= limitCharacters ? readFlags(prompt).images : []
}

/** Decodes the list of images in a field. */
export async function prepareImageList(
  body: JsonObject,
  field: string,
  media: MediaSource,
  limitBytes: number,
): Promise<PreparedBody<readonly DrawingImage[]>> {
  const images = await receiveDrawingImages(listOf(body[field]), media, limitBytes)
  return { prepared: images, fields: { ...body, [field]: images.map(identityOfImage) } }
}

/** Decodes images that may be missing. */
export async function receiveOptional(
  values: readonly (JsonValue | undefined)[],
  media: MediaSource,
  limitBytes: number,
): Promise<readonly (DrawingImage | undefined)[]> {
  return Promise.all(
    values.map((value) => (value === undefined ? undefined : receiveDrawingImage(value, media, limitBytes))),
  )
}
