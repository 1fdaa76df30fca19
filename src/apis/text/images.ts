import { runInTurns } from '../../engine/clock/timers/steps.ts'
import { decodeBase64 } from '../../gateway/bodies/base64.ts'
import type { JsonObject, JsonValue } from '../../gateway/bodies/json.ts'
import { ImageRefused, type MediaSource, type ReceivedImage } from '../../media/source.ts'
import { isObject } from './fields.ts'

/** More pictures than anybody sends; they are decoded before the request is looked at. */
export const maxImages = 64

/** The pictures of a request by the text that carried them: what they are, or why they are refused. */
export type ReceivedImages = ReadonlyMap<string, ReceivedImage | string>

/** Those of most requests. */
export const noImages: ReceivedImages = new Map()

/**
 * Decodes the pictures of a request.
 * @param texts base64 or data URLs, as they stand in the body.
 */
export async function receiveImages(
  texts: readonly string[],
  media: MediaSource,
  limitBytes: number,
): Promise<ReceivedImages> {
  const images = new Map<string, ReceivedImage | string>()
  const different = [...new Set(texts)]
  for (const text of different.slice(maxImages)) {
    images.set(text, `is one of ${different.length} pictures, at most ${maxImages} are taken`)
  }
  await Promise.all(
    different.slice(0, maxImages).map(async (text) => {
      images.set(text, await receive(text, media, limitBytes))
    }),
  )
  return images
}

async function receive(
  text: string,
  media: MediaSource,
  limitBytes: number,
): Promise<ReceivedImage | string> {
  const bytes = await runInTurns(decodeBase64(text, limitBytes))
  if (typeof bytes === 'string') return bytes
  try {
    return await media.receiveImage(bytes)
  } catch (error) {
    if (error instanceof ImageRefused) return `was refused: ${error.message}`
    throw error
  }
}

/** The body with every picture replaced by its digest: what the request means. */
export function withDigests(body: JsonObject, images: ReceivedImages): JsonObject {
  return images.size === 0 ? body : (replaced(body as JsonValue, images) as JsonObject)
}

function replaced(value: JsonValue, images: ReceivedImages): JsonValue {
  if (typeof value === 'string') {
    const image = images.get(value)
    return image === undefined ? value : typeof image === 'string' ? image : `sha256:${image.digest}`
  }
  if (Array.isArray(value)) return value.map((item) => replaced(item, images))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item, images)]))
}
