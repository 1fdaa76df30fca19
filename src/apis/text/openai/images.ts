import { Refused } from '../../jobs/kit/refused.ts'
import { isObject } from '../../../engine/is-object.ts'
import type { JsonValue } from '../../../gateway/bodies/json.ts'
import type { TurnPart } from '../../../text/spec.ts'
import type { ReceivedImages } from '../prepare.ts'

/** The data URLs of all images in the parts of a content. */
export function dataUrls(content: JsonValue | undefined): string[] {
  const urls: string[] = []
  for (const part of Array.isArray(content) ? content : []) {
    const url = isObject(part) ? urlOf(part['image_url']) : undefined
    if (url !== undefined && /^data:/i.test(url)) urls.push(url)
  }
  return urls
}

/** An image. Its URL is not fetched; it counts like any other image. @param path its place. */
export function toImage(url: string, path: string, images: ReceivedImages): TurnPart {
  const image = images.get(url)
  if (typeof image === 'string') throw new Refused(`${path} ${image}`)
  if (image) {
    const mimeType = /^data:([^;,]+)/i.exec(url)?.[1] ?? 'image/png'
    return { type: 'image', mimeType, digest: image.digest, width: image.width, height: image.height }
  }
  if (!/^https?:\/\/\S+$/i.test(url)) throw new Refused(`${path} must be an http(s) URL or a data URL`)
  return { type: 'image', mimeType: 'image/*' }
}

function urlOf(value: JsonValue | undefined): string | undefined {
  const url = isObject(value) ? value['url'] : value
  return typeof url === 'string' ? url : undefined
}
