import type { JsonValue } from '../../gateway/bodies/json.ts'
import { type MediaSource, type ReceivedImage, ImageRefused } from '../../media/source.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { decodeBase64 } from '../../gateway/bodies/base64.ts'

/**
 * Decodes an image from base64 or a data URL.
 * @param receive receives the bytes, such as `media.receiveImage`; `refused` is the start of the text if it refuses them.
 * @returns its result, or a text that says why the image is refused.
 */
export async function decodeImage<Result extends object>(
  text: string,
  limitBytes: number,
  receive: (bytes: Uint8Array) => Promise<Result>,
  refused = 'was refused: ',
): Promise<Result | string> {
  const bytes = decodeBase64(text, limitBytes)
  if (typeof bytes === 'string') return bytes
  const received = await catchRefusal(() => receive(bytes))
  return typeof received === 'string' ? refused + received : received
}

/** @returns the result, or a text that says why an image is refused. */
async function catchRefusal<Result extends object>(run: () => Promise<Result>): Promise<Result | string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ImageRefused) return error.message
    throw error
  }
}

/** An image of a request, or why it is refused. */
export type RequestPhoto = Photo | { readonly refused: string }

export const maxUrlLength = 4_096

/** The image at a URL, which is not fetched: a grey square stands for it. */
export function photoAt(url: string): Photo {
  return { url, width: 1024, height: 1024, colours: ['#808080'] }
}

/**
 * Decodes an image: a data URL or bare base64. A URL is not fetched.
 * @param how what the API says of another value, and how it finds the image at a URL.
 */
export async function receivePhoto(
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
  { noText = 'it is not a text', find = findPhoto }: FindPhoto = {},
): Promise<RequestPhoto> {
  if (typeof value !== 'string' || value.trim() === '') return { refused: noText }
  const photo = /^https?:\/\//i.test(value)
    ? await find(value, media)
    : await decodeImage(value, limitBytes, async (bytes) => toPhoto(await media.receiveImage(bytes)), '')
  return typeof photo === 'string' ? { refused: photo } : photo
}

interface FindPhoto {
  readonly noText?: string
  readonly find?: (url: string, media: MediaSource) => MaybePromise<RequestPhoto>
}

function findPhoto(url: string): RequestPhoto {
  return url.length > maxUrlLength ? { refused: `its URL has ${url.length} characters` } : photoAt(url)
}

/** A received image as a drawing has it. */
export function toPhoto({ digest, width, height, colours }: ReceivedImage): Photo {
  return { digest, width, height, colours }
}

/** An image as a part of the identity of a request. */
export function identityOfPhoto(photo: RequestPhoto): string {
  if ('refused' in photo) return `refused: ${photo.refused}`
  return photo.digest === undefined ? photo.url! : `sha256:${photo.digest}`
}
