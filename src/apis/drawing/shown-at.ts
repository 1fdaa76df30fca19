import type { Context } from '../../gateway/route.ts'
import type { Drawing, Photo } from '../../pictures/composition/drawing.ts'
import { sizeOf } from '../../pictures/composition/drawing-size.ts'
import { drawingRequest, isDrawing } from './shows.ts'

const ownAddress = /\/mj(?:-\w+)?(?:\/mj)?\/image\/(\d+)(?:[?#]|$)/

/** In characters, as data. What is made of pictures that are made of pictures would grow without end. */
export const maxShownLength = 65_536

/**
 * What an address shows, where it is that of a finished picture of ours, under whatever host clients reach us by. Another
 * namespace's counts as none.
 * @assumed §2.5 what becomes of a picture's address in other requests is not shown; it stands for the picture.
 */
export function drawingShownAt(address: string, { tasks, namespace, now }: Context): Drawing | undefined {
  const [, id] = ownAddress.exec(address) ?? []
  const task = id === undefined ? undefined : tasks.find(id)
  if (task?.record.namespace !== namespace.name || !isDrawing(task)) return undefined
  const { drawing, file } = drawingRequest(task)
  const isDone = tasks.view(task, now).state === task.lifecycle.roles.success
  if (!isDone || file !== undefined || drawing === undefined) return undefined
  return JSON.stringify(drawing).length <= maxShownLength ? drawing : undefined
}

/** A picture as it was received; one that was only named by an address of ours with what it shows. */
export function photoShown(photo: Photo, context: Context): Photo {
  const { digest, url } = photo
  const drawing = digest === undefined && url !== undefined ? drawingShownAt(url, context) : undefined
  return drawing ? { ...photo, ...sizeOf(drawing), drawing } : photo
}
