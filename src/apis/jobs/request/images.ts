import type { MediaSource } from '../../../media/source.ts'
import type { MaybePromise } from '../../../engine/maybe-promise.ts'
import type { JsonObject, JsonValue } from '../../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../../gateway/exchange.ts'
import {
  decodeImage,
  identityOfPhoto,
  maxUrlLength,
  photoAt,
  toPhoto,
  type RequestPhoto,
} from '../../painting/photos.ts'

/** More than real requests have. They are decoded at the same time. */
export const maxImages = 16

/** The images of a request: a list, or by the names of their fields. */
export type GivenImages = readonly unknown[] | Readonly<Record<string, unknown>>

/**
 * Decodes the images of a request. URLs are not fetched.
 * @returns each different image once, and the fields with every image replaced by its digest, which are the identity of the
 * request.
 */
export function receiveImages(
  body: JsonObject,
  given: GivenImages,
  media: MediaSource,
  limitBytes: number,
): MaybePromise<PreparedBody<readonly RequestPhoto[]>> {
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
): Promise<PreparedBody<readonly RequestPhoto[]>> {
  const images = new Map<string, RequestPhoto>()
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
    fields[name] = received.map(identityOfPhoto)
    for (const image of received) images.set(identityOfPhoto(image), image)
  }
  return { prepared: [...images.values()], fields }
}

async function receive(
  name: string,
  value: unknown,
  media: MediaSource,
  limitBytes: number,
): Promise<RequestPhoto> {
  if (typeof value !== 'string') return { refused: `${name} is not a text` }
  if (/^https?:\/\//i.test(value)) {
    return value.length <= maxUrlLength
      ? photoAt(value)
      : { refused: `${name} is an address of ${value.length} characters` }
  }
  const image = await decodeImage(value, limitBytes, async (bytes) =>
    toPhoto(await media.receiveImage(bytes)),
  )
  return typeof image === 'string' ? { refused: `${name} ${image}` } : image
}
