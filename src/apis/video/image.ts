import type { MediaSource, ReceivedImage } from '../../media/source.ts'
import { catchRefusal, decodeImage } from '../painting/photos.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'
import type { ImageReference } from '../../media/spec.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { maxImages } from './form.ts'

/** An image, with its drawing if greenroom made it. */
export type GivenImage = ImageReference & { readonly drawing?: Drawing }

/**
 * An image of a request: a usable one, the reason for its refusal, or the reason why fetching failed. The latter fails the
 * task.
 */
export type RequestImage = GivenImage | { refused: string } | { unavailable: string }

/** The fields that may contain images, in the order in which the clip shows them (wire §3.1). */
const imageFields = ['image', 'images', 'input_reference'] as const

/**
 * Finds and decodes the images of a request. URLs are fetched if the media source fetches URLs.
 *
 * @assumed §4.1 `images` and `input_reference` are undocumented; wire §3.1.
 * @returns each different image once, and the fields with every image replaced by its digest.
 */
export function receiveImages(
  body: JsonObject,
  media: MediaSource,
  limitBytes: number,
): MaybePromise<PreparedBody<readonly RequestImage[]>> {
  const isNone = imageFields.every((name) => isMissing(body[name]))
  return isNone ? { prepared: [], fields: body } : receiveAll(body, media, limitBytes)
}

function isMissing(value: JsonValue | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

async function receiveAll(
  body: JsonObject,
  media: MediaSource,
  limitBytes: number,
): Promise<PreparedBody<readonly RequestImage[]>> {
  const images = new Map<string, RequestImage>()
  const add = (image: RequestImage): unknown => images.set(identityOf(image), image)
  const fields: Record<string, JsonValue | undefined> = { ...body }
  for (const name of imageFields) {
    const value = body[name]
    if (isMissing(value)) continue
    const items = name === 'images' && Array.isArray(value) ? value : [value]
    // The form refuses it.
    if (items.length > maxImages) continue
    const nameOf = (index: number): string => (items === value ? `${name}[${index}]` : name)
    const received = await Promise.all(
      items.map((item, index) => receive(nameOf(index), item, media, limitBytes)),
    )
    fields[name] = received.map(identityOf)
    received.forEach(add)
  }
  return {
    prepared: await Promise.all([...images.values()].map((image) => fetchImage(image, media))),
    fields,
  }
}

async function receive(
  name: string,
  value: JsonValue,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestImage> {
  // The form refuses it.
  if (typeof value !== 'string') return { refused: name }
  if (/^https?:\/\//i.test(value)) {
    return value.length <= 4096
      ? { url: value }
      : { refused: `${name} is an address of ${value.length} characters` }
  }
  const image = await decodeImage(value, limitBytes, (bytes) => media.receiveImage(bytes))
  return typeof image === 'string' ? { refused: `${name} ${image}` } : referTo(image)
}

/** Fetches the image at a URL, if the media source fetches URLs. */
async function fetchImage(image: RequestImage, media: MediaSource): Promise<RequestImage> {
  if (!('url' in image) || !media.fetchImage) return image
  const fetched = await catchRefusal(() => media.fetchImage!(image.url))
  return typeof fetched === 'string' ? { unavailable: fetched } : referTo(fetched)
}

function referTo({ digest, drawing }: ReceivedImage): GivenImage {
  return { digest, ...(drawing && { drawing }) }
}

function identityOf(image: RequestImage): string {
  if ('digest' in image) return `sha256:${image.digest}`
  if ('url' in image) return image.url
  return 'refused' in image ? `refused: ${image.refused}` : `unavailable: ${image.unavailable}`
}
