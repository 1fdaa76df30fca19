import type { JsonValue } from '../../gateway/bodies/json.ts'
import type { MediaSource, ReceivedImage } from '../../media/source.ts'
import type { Photo } from '../../pictures/composition/drawing.ts'
import { catchRefusal, decodeImage } from '../images.ts'

/** An image of a request, or why it is refused. */
export type RequestPhoto = Photo | { readonly refused: string }

/** Stands for an image that was not fetched: a grey square. */
const unknownImage = { width: 1024, height: 1024, colours: ['#808080'] } as const

const maxUrlLength = 4_096

/** Decodes an image: a data URL, bare base64, or a URL, which is fetched if the media source fetches any. */
export async function receivePhoto(
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestPhoto> {
  if (typeof value !== 'string' || value.trim() === '') return { refused: 'it is not a text' }
  const photo = /^https?:\/\//i.test(value)
    ? await catchRefusal(() => fetchPhoto(value, media))
    : await decodeImage(value, limitBytes, async (bytes) => toPhoto(await media.receiveImage(bytes)), '')
  return typeof photo === 'string' ? { refused: photo } : photo
}

async function fetchPhoto(url: string, media: MediaSource): Promise<RequestPhoto> {
  if (url.length > maxUrlLength) return { refused: `its URL has ${url.length} characters` }
  return media.fetchImage ? { ...toPhoto(await media.fetchImage(url)), url } : { url, ...unknownImage }
}

/** A received image as a drawing has it. */
export function toPhoto({ digest, width, height, colours, drawing }: ReceivedImage): Photo {
  return { digest, width, height, colours, ...(drawing && { drawing }) }
}

/** An image as a part of the identity of a request. */
export function identityOfPhoto(photo: RequestPhoto): string {
  if ('refused' in photo) return `refused: ${photo.refused}`
  return photo.digest === undefined ? photo.url! : `sha256:${photo.digest}`
}
