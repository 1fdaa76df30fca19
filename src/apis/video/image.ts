import type { MediaSource, ReceivedImage } from '../../media/source.ts'
import { catchRefusal, decodeImage } from '../images.ts'
import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'
import type { ImageReference } from '../../media/spec.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'

/** An image, with its drawing if greenroom made it. */
export type GivenImage = ImageReference & { readonly drawing?: Drawing }

/** The image of a request: none, a usable one, why the request is refused, or why fetching failed, which fails the task. */
export type RequestImage = GivenImage | { refused: string } | { unavailable: string } | null

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
    fields[name] = received.map(identityOf)
    image = combine(image, received)
  }
  return { prepared: await fetchImage(image, media), fields }
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
  const image = await decodeImage(value, limitBytes, (bytes) => media.receiveImage(bytes))
  return typeof image === 'string' ? { refused: `${name} ${image}` } : referTo(image)
}

/** The image at a URL, if the media source fetches any. */
async function fetchImage(image: RequestImage, media: MediaSource): Promise<RequestImage> {
  if (image === null || !('url' in image) || !media.fetchImage) return image
  const fetched = await catchRefusal(() => media.fetchImage!(image.url))
  return typeof fetched === 'string' ? { unavailable: fetched } : referTo(fetched)
}

function referTo({ digest, drawing }: ReceivedImage): GivenImage {
  return { digest, ...(drawing && { drawing }) }
}

/** The first image counts, but any bad one refuses the request. */
function combine(known: RequestImage, received: readonly RequestImage[]): RequestImage {
  const refused = [known, ...received].find((image) => image !== null && 'refused' in image)
  return refused ?? known ?? received[0] ?? null
}

function identityOf(image: RequestImage): string {
  if (image === null) return ''
  if ('digest' in image) return `sha256:${image.digest}`
  if ('url' in image) return image.url
  return 'refused' in image ? `refused: ${image.refused}` : `unavailable: ${image.unavailable}`
}
