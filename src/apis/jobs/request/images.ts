import type { MediaSource } from '../../../media/source.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { JsonObject, JsonValue } from '../../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../../gateway/exchange.ts'
import type { Photo } from '../../../pictures/composition/drawing.ts'
import { catchRefusal, decodeImage, fetchShortUrl, maxUrlLength, toPhoto } from '../../painting/photos.ts'

/** More than real requests have. They are decoded at the same time. */
export const maxImages = 16

/**
 * An image of a request: a usable one, the reason for its refusal, or the reason why fetching failed. The latter fails the
 * job.
 */
export type RequestImage = Photo | { readonly refused: string } | { readonly unavailable: string }

/** The images of a request: a list, or by the names of their fields. */
export type GivenImages = readonly unknown[] | Readonly<Record<string, unknown>>

/**
 * Decodes the images of a request. URLs are fetched if the media source fetches URLs.
 * @returns each different image once, and the fields with every image replaced by its digest, which are the identity of the
 * request.
 */
export function receiveImages(
  body: JsonObject,
  given: GivenImages,
  media: MediaSource,
  limitBytes: number,
): MaybePromise<PreparedBody<readonly RequestImage[]>> {
  const isList = Array.isArray(given)
  const entries = isList ? [['images', given] as const] : Object.entries(given)
  const named = entries.filter(([, value]) => !isMissing(value))
  const isNone = named.length === 0 || (isList && given.every(isMissing))
  return isNone ? { prepared: [], fields: body } : receiveAll(body, named, { isList, media, limitBytes })
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

interface How {
  readonly isList: boolean
  readonly media: MediaSource
  readonly limitBytes: number
}

async function receiveAll(
  body: JsonObject,
  named: readonly (readonly [name: string, value: unknown])[],
  { isList, media, limitBytes }: How,
): Promise<PreparedBody<readonly RequestImage[]>> {
  const images = new Map<string, RequestImage>()
  const fields: Record<string, JsonValue | undefined> = { ...body }
  for (const [name, value] of named) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    const given = isList ? items.filter((item) => !isMissing(item)) : items
    if (given.length > maxImages) {
      const refused = `${name} has ${given.length} pictures, at most ${maxImages} are taken`
      images.set(refused, { refused })
      continue
    }
    const nameOf = (index: number): string =>
      isList ? 'an image' : items === value ? `${name}[${index}]` : name
    const received = await Promise.all(
      given.map((item, index) => receive(nameOf(index), item, media, limitBytes)),
    )
    fields[name] = received.map(identityOf)
    for (const image of received) images.set(identityOf(image), image)
  }
  return {
    prepared: await Promise.all([...images.values()].map((image) => fetchImage(image, media))),
    fields,
  }
}

/** Stands for an image that was not fetched: a grey square. */
const unknownImage = { width: 1024, height: 1024, colours: ['#808080'] } as const

async function receive(
  name: string,
  value: unknown,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestImage> {
  if (typeof value !== 'string') return { refused: `${name} is not a text` }
  if (/^https?:\/\//i.test(value)) {
    return value.length <= maxUrlLength
      ? { url: value, ...unknownImage }
      : { refused: `${name} is an address of ${value.length} characters` }
  }
  const image = await decodeImage(value, limitBytes, async (bytes) =>
    toPhoto(await media.receiveImage(bytes)),
  )
  return typeof image === 'string' ? { refused: `${name} ${image}` } : image
}

/** Fetches the image at a URL, if the media source fetches URLs. */
async function fetchImage(image: RequestImage, media: MediaSource): Promise<RequestImage> {
  if (!('url' in image) || image.digest !== undefined || !media.fetchImage) return image
  const fetched = await catchRefusal(() => fetchShortUrl(image.url!, media))
  return typeof fetched === 'string' ? { unavailable: fetched } : fetched
}

function identityOf(image: RequestImage): string {
  if ('refused' in image) return `refused: ${image.refused}`
  if ('unavailable' in image) return `unavailable: ${image.unavailable}`
  return image.digest === undefined ? image.url! : `sha256:${image.digest}`
}
