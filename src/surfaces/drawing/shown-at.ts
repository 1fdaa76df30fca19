import type { Context } from '../../gateway/route.ts'
import type { Drawing } from '../../scene/drawing.ts'
import { drawingRequest, isDrawing } from './shows.ts'

const ownAddress = /\/mj(?:-\w+)?(?:\/mj)?\/image\/(\d+)(?:[?#]|$)/

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
  return isDone && file === undefined ? drawing : undefined
}
