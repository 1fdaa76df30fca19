import { isPromise, type MaybePromise } from '../../engine/maybe-promise.ts'
import type { JsonObject } from '../../gateway/bodies/json.ts'
import type { PreparedBody } from '../../gateway/route.ts'
import type { MediaSource } from '../../media/source.ts'
import type { Writer } from '../../text/spec.ts'
import { noImages, receiveImages, withDigests, type ReceivedImages } from './images.ts'
import type { TextSurfaceSettings } from './settings.ts'
import { writerOf } from './writer.ts'

/** What a text is answered with: the pictures that came along, and who writes. */
export interface PreparedText {
  readonly writer: Writer
  readonly images: ReceivedImages
}

/**
 * Prepares a request for a text. Only pictures, and word lists that nobody wanted before, must be waited for.
 *
 * @param pictures the texts in its body that carry pictures.
 */
export function prepareText(
  body: JsonObject,
  pictures: readonly string[],
  media: MediaSource,
  settings: TextSurfaceSettings,
): MaybePromise<PreparedBody<PreparedText>> {
  const writer = writerOf(settings)
  if (pictures.length > 0 || isPromise(writer)) {
    return prepareLater(body, pictures, media, settings)
  }
  return { prepared: { images: noImages, writer }, fields: body }
}

async function prepareLater(
  body: JsonObject,
  pictures: readonly string[],
  media: MediaSource,
  settings: TextSurfaceSettings,
): Promise<PreparedBody<PreparedText>> {
  const [images, writer] = await Promise.all([
    receiveImages(pictures, media, settings.imageLimitBytes),
    writerOf(settings),
  ])
  return { prepared: { images, writer }, fields: withDigests(body, images) }
}
