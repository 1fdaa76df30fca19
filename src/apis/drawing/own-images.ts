import type { Exchange } from '../../gateway/exchange.ts'
import type { Drawing, Photo } from '../../pictures/composition/drawing.ts'
import { sizeOf } from '../../pictures/composition/drawing-size.ts'
import { drawingRequest, isDrawing } from './result.ts'

const imageUrl = /\/mj(?:-\w+)?(?:\/mj)?\/image\/(\d+)(?:[?#]|$)/

/** In characters of JSON. A drawing contains the drawings of its images, which would grow without bound. */
export const maxDrawingLength = 65_536

/**
 * The drawing behind a URL, if it is that of a finished image of the same namespace, on any host.
 * @assumed §2.5 the URL of an image in another request is undocumented; it stands for the image.
 */
export function findDrawing(url: string, { tasks, namespace, now }: Exchange): Drawing | undefined {
  const [, id] = imageUrl.exec(url) ?? []
  const task = id === undefined ? undefined : tasks.find(id)
  if (task?.record.namespace !== namespace.name || !isDrawing(task)) return undefined
  const { drawing, file } = drawingRequest(task)
  const isDone = tasks.view(task, now).state === task.lifecycle.roles.success
  if (!isDone || file !== undefined || drawing === undefined) return undefined
  return JSON.stringify(drawing).length <= maxDrawingLength ? drawing : undefined
}

/** An image of a request, with its drawing if its URL is one of this simulator's. */
export function withDrawing(photo: Photo, x: Exchange): Photo {
  const { digest, url } = photo
  const drawing = digest === undefined && url !== undefined ? findDrawing(url, x) : undefined
  return drawing ? { ...photo, ...sizeOf(drawing), drawing } : photo
}

/** The path of uploaded images. */
export const uploadFolder = '/mj/uploaded/'

/**
 * The file name of an uploaded image: the tag of its shard and its digest.
 * @example
 * uploadName('0f41', '03') // → '03-0f41.jpg'
 */
export function uploadName(digest: string, shardTag: string): string {
  return `${shardTag === '' ? '' : `${shardTag}-`}${digest}.jpg`
}

/** The digest in the file name of an uploaded image; undefined for other names. */
export function digestOfUpload(file: string): string | undefined {
  return /^(?:\d\d-)?([0-9a-f]{64})(?:\.jpg)?$/.exec(file)?.[1]
}
