import { isObject } from '../../engine/is-object.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import { isPromise, type MaybePromise } from '../../engine/maybe-promise.ts'
import type { Core } from '../../gateway/core.ts'
import type { PreparedBody } from '../../gateway/exchange.ts'
import type { MediaSource, ReceivedImage } from '../../media/source.ts'
import type { TextSettings, Writer } from '../../text/spec.ts'
import { decodeImage } from '../painting/photos.ts'
import { textSettings, type TextApiSettings } from './settings.ts'

/** The images of a request, by their text in the request: the image, or the reason for its refusal. */
export type ReceivedImages = ReadonlyMap<string, ReceivedImage | string>

/** The parts with which a text is written. */
export interface PreparedText {
  readonly writer: Writer
  readonly images: ReceivedImages
}

/** More than real requests have. They are decoded before the request is checked. */
export const maxImages = 64

const writers = new WeakMap<TextSettings, MaybePromise<Writer>>()

/** The writer of a simulator. Its word lists are loaded once, for the first text. */
function writerOf({ text }: Pick<TextApiSettings, 'text'>): MaybePromise<Writer> {
  const known = writers.get(text)
  if (known) return known
  const loading = import('../../text/write/writer.ts').then(({ loadWriter }) => loadWriter(text))
  writers.set(text, loading)
  loading.then((writer) => writers.set(text, writer)).catch(() => writers.delete(text))
  return loading
}

/** Loads the writer of a simulator, so that its first text doesn't wait. */
export function prepareWriter({ use }: Pick<Core, 'use'>): MaybePromise<Writer> {
  return writerOf(use(textSettings))
}

/**
 * Decodes the images of a request and loads the writer. Synchronous if there is nothing to wait for.
 *
 * @param texts base64 or data URLs, as in the body.
 */
export function prepareText(
  body: JsonObject,
  texts: readonly string[],
  media: MediaSource,
  settings: TextApiSettings,
): MaybePromise<PreparedBody<PreparedText>> {
  const writer = writerOf(settings)
  const received = prepareImages(body, texts, media, settings.imageLimitBytes)
  const combine = (
    { prepared: images, fields }: PreparedBody<ReceivedImages>,
    loaded: Writer,
  ): PreparedBody<PreparedText> => ({ prepared: { writer: loaded, images }, fields })
  if (!isPromise(received) && !isPromise(writer)) return combine(received, writer)
  return Promise.all([received, writer]).then(([images, loaded]) => combine(images, loaded))
}

/** Decodes the images of a request. */
export function prepareImages(
  body: JsonObject,
  texts: readonly string[],
  media: MediaSource,
  limitBytes: number,
): MaybePromise<PreparedBody<ReceivedImages>> {
  if (texts.length === 0) return { prepared: new Map(), fields: body }
  return receiveImages(texts, media, limitBytes).then((images) => ({
    prepared: images,
    fields: replaceImages(body as JsonValue, images) as JsonObject,
  }))
}

async function receiveImages(
  texts: readonly string[],
  media: MediaSource,
  limitBytes: number,
): Promise<ReceivedImages> {
  const unique = [...new Set(texts)]
  const images = unique.map(async (text, index): Promise<[string, ReceivedImage | string]> => {
    if (index < maxImages)
      return [text, await decodeImage(text, limitBytes, (bytes) => media.receiveImage(bytes))]
    return [text, `is one of ${unique.length} images, at most ${maxImages} are taken`]
  })
  return new Map(await Promise.all(images))
}

/** Replaces every image by its digest, for the identity of the request. */
function replaceImages(value: JsonValue, images: ReceivedImages): JsonValue {
  if (typeof value === 'string') {
    const image = images.get(value)
    return image === undefined ? value : typeof image === 'string' ? image : `sha256:${image.digest}`
  }
  if (Array.isArray(value)) return value.map((item) => replaceImages(item, images))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceImages(item, images)]))
}
