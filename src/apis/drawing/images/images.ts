import { runInTurns } from '../../../engine/clock/timers/steps.ts'
import { ImageRefused, type MediaSource, type ReceivedImage } from '../../../media/source.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { decodeBase64 } from '../../../gateway/bodies/base64.ts'
import type { JsonValue } from '../../../gateway/bodies/json.ts'
import { uploadedFolder, digestOfUploaded } from './uploaded-file.ts'

/** A picture of a request: one that can be drawn with, or why it can't. */
export type DrawingImage = Photo | { readonly refused: string }

/** Nothing is known of a picture that never came: it is taken for a grey square. */
const unseen = { width: 1024, height: 1024, colours: ['#808080'] } as const

/**
 * Takes a picture as the channel's clients send it: a data URL, bare base64, or an address. An address is fetched
 * where the media source fetches any; else it is drawn from.
 *
 * @assumed §4.6 payloads are not shown; wire §7.2.
 */
export async function receiveDrawingImage(
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
): Promise<DrawingImage> {
  if (typeof value !== 'string' || value.trim() === '') return { refused: 'is not a text' }
  try {
    if (/^https?:\/\//i.test(value)) return await named(value, media)
    const bytes = await runInTurns(decodeBase64(value, limitBytes))
    if (typeof bytes === 'string') return { refused: bytes }
    return photoOf(await media.receiveImage(bytes))
  } catch (error) {
    if (error instanceof ImageRefused) return { refused: error.message }
    throw error
  }
}

/** Takes a mask; undefined when there is none. */
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

/** What stands for a picture in a request's identity. */
export function meaningOfImage(image: DrawingImage): string {
  if ('refused' in image) return `refused: ${image.refused}`
  return image.digest === undefined ? image.url! : `sha256:${image.digest}`
}

async function named(url: string, media: MediaSource): Promise<DrawingImage> {
  if (url.length > 4096) return { refused: `is an address of ${url.length} characters` }
  const from = url.lastIndexOf(uploadedFolder)
  const digest = from < 0 ? undefined : digestOfUploaded(url.slice(from + uploadedFolder.length))
  const known = digest === undefined ? undefined : (await media.received(digest))?.image
  if (known) return photoOf(known)
  return media.fetchImage ? { ...photoOf(await media.fetchImage(url)), url } : { url, ...unseen }
}

function photoOf({ digest, width, height, colours }: ReceivedImage): Photo {
  return { digest, width, height, colours }
}
