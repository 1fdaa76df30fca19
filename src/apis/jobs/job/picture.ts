import type { Task } from '../../../engine/tasks/tasks.ts'
import type { PictureSpec } from '../../../media/spec.ts'
import { drawnSizeOf, type Drawing } from '../../../pictures/composition/drawing.ts'
import type { MadeMedia } from '../../../scenario/rules/rule.ts'
import { filesOf, jobRequest } from './stored-job.ts'

/** An image of a job, without the media of rules. */
export function pictureOfJob(task: Task, index: number): PictureSpec {
  const picture = filesOf(jobRequest(task))[index]
  // A restored record comes from outside, and must name no file by itself.
  if (picture?.kind !== 'picture') throw new TypeError('The record of the job has no such image')
  return picture
}

/** The same drawing with the size of a rule, scaled through all edits. */
export function resizeDrawing(drawing: Drawing, { width, height }: MadeMedia): Drawing {
  if (width === undefined || height === undefined) return drawing
  const { base, edits } = drawing
  const actual = drawnSizeOf(drawing)
  const scale = (side: number, target: number, drawn: number): number =>
    Math.max(1, Math.round((side * target) / drawn))
  const frame = {
    width: scale(base.width, width, actual.width),
    height: scale(base.height, height, actual.height),
  }
  return { base: { ...base, ...frame }, edits }
}
