import type { JsonValue } from '../../gateway/bodies/json.ts'
import { type MediaSource, type ReceivedImage, ImageRefused } from '../../media/source.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { runInTurns } from '../../engine/clock/timers/steps.ts'
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
  const bytes = await runInTurns(decodeBase64(text, limitBytes))
  if (typeof bytes === 'string') return bytes
  const received = await catchRefusal(() => receive(bytes))
  return typeof received === 'string' ? refused + received : received
}

/** @returns the result, or a text that says why an image is refused. */
export async function catchRefusal<Result extends object>(
  run: () => Promise<Result>,
): Promise<Result | string> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ImageRefused) return error.message
    throw error
  }
}

/** An image of a request, or why it is refused. */
export type RequestPhoto = Photo | { readonly refused: string }

/** Stands for an image that was not fetched: a grey square. */
const unknownImage = { width: 1024, height: 1024, colours: ['#808080'] } as const

export const maxUrlLength = 4_096

/**
 * Decodes an image: a data URL, bare base64, or a URL, which is fetched if the media source fetches any.
 * @param how what the API says of another value, and how it gets the image at a URL.
 */
export async function receivePhoto(
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
  { noText = 'it is not a text', fetch = fetchPhoto } = {},
): Promise<RequestPhoto> {
  if (typeof value !== 'string' || value.trim() === '') return { refused: noText }
  const photo = /^https?:\/\//i.test(value)
    ? await catchRefusal(() => fetch(value, media))
    : await decodeImage(value, limitBytes, async (bytes) => toPhoto(await media.receiveImage(bytes)), '')
  return typeof photo === 'string' ? { refused: photo } : photo
}

async function fetchPhoto(url: string, media: MediaSource): Promise<RequestPhoto> {
  if (url.length > maxUrlLength) return { refused: `its URL has ${url.length} characters` }
  return fetchShortUrl(url, media)
}

/** The image at a URL that is not too long. */
export async function fetchShortUrl(url: string, media: MediaSource): Promise<Photo> {
  return media.fetchImage ? { ...toPhoto(await media.fetchImage(url)), url } : { url, ...unknownImage }
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
