import { runInTurns } from '../../engine/clock/timers/steps.ts'
import { ImageRefused, type MediaSource } from '../../media/source.ts'
import type { ImageReference } from '../../media/spec.ts'
import type { MaybePromise } from '../../gateway/maybe-promise.ts'
import { decodeBase64 } from '../../gateway/bodies/base64.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'

/** The image of a request: none, a usable one, why the request is refused, or why fetching failed, which fails the task. */
export type RequestImage = ImageReference | { refused: string } | { unavailable: string } | null

/** More than any real request has. They are decoded at the same time. */
export const maxImages = 16

/** The fields that may carry an image, in order of precedence (wire §3.1). */
const imageFields = ['image', 'images', 'input_reference'] as const

/**
 * Finds and decodes the image of a request. The URL of the first image is fetched if the media source fetches any.
 *
 * @assumed §4.1 `images` and `input_reference` are undocumented; wire §3.1.
 * @returns the image, and the fields with every image replaced by its digest.
 */
export function receiveImages(
  body: JsonObject,
  media: MediaSource,
  limitBytes: number,
): MaybePromise<PreparedBody<RequestImage>> {
  const isNone = imageFields.every((name) => isMissing(body[name]))
  return isNone ? { prepared: null, fields: body } : receiveAll(body, media, limitBytes)
}

function isMissing(value: JsonValue | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

async function receiveAll(
  body: JsonObject,
  media: MediaSource,
  limitBytes: number,
): Promise<PreparedBody<RequestImage>> {
  let image: RequestImage = null
  const fields: Record<string, JsonValue | undefined> = { ...body }
  for (const name of imageFields) {
    const value = body[name]
    if (isMissing(value)) continue
    const items = name === 'images' && Array.isArray(value) ? value : [value]
    if (items.length > maxImages) {
      image = { refused: `${name} has ${items.length} pictures, at most ${maxImages} are taken` }
      continue
    }
    const nameOf = (index: number): string => (items === value ? `${name}[${index}]` : name)
    const received = await Promise.all(
      items.map((item, index) => receive(nameOf(index), item, media, limitBytes)),
    )
    fields[name] = received.map(meaningOf)
    image = worstOf(image, received)
  }
  return { prepared: await fetched(image, media), fields }
}

async function receive(
  name: string,
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestImage> {
  if (typeof value !== 'string')
    return { refused: `${name} must be a string: an address, a data URL or base64` }
  if (/^https?:\/\//i.test(value)) {
    return value.length <= 4096
      ? { url: value }
      : { refused: `${name} is an address of ${value.length} characters` }
  }
  const bytes = await runInTurns(decodeBase64(value, limitBytes))
  if (typeof bytes === 'string') return { refused: `${name} ${bytes}` }
  try {
    return { digest: (await media.receiveImage(bytes)).digest }
  } catch (error) {
    if (error instanceof ImageRefused) return { refused: `${name} was refused: ${error.message}` }
    throw error
  }
}

/** The image at a URL, if the media source fetches any. */
async function fetched(image: RequestImage, media: MediaSource): Promise<RequestImage> {
  if (image === null || !('url' in image) || !media.fetchImage) return image
  try {
    return { digest: (await media.fetchImage(image.url)).digest }
  } catch (error) {
    if (error instanceof ImageRefused) return { unavailable: error.message }
    throw error
  }
}

/** The first image counts, but any bad one refuses the request. */
function worstOf(known: RequestImage, received: readonly RequestImage[]): RequestImage {
  const refused = [known, ...received].find((image) => image !== null && 'refused' in image)
  return refused ?? known ?? received[0] ?? null
}

function meaningOf(image: RequestImage): string {
  if (image === null) return ''
  if ('digest' in image) return `sha256:${image.digest}`
  if ('url' in image) return image.url
  return 'refused' in image ? `refused: ${image.refused}` : `unavailable: ${image.unavailable}`
}
