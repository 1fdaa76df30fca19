import type { Task } from '../../engine/tasks/tasks.ts'
import type { ClipSpec, FileSpec, PictureSpec } from '../../media/spec.ts'
import { readMediaShape, sizeAndLength, type MadeMedia } from '../../scenario/media-shape.ts'
import type { MediaShape } from '../../scenario/rules/rule.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { sizeOf } from '../../pictures/composition/drawing-size.ts'
import { drawingRequest, type Shows } from './shows.ts'

/** What a task shows, made as a rule wants it: its films where it has any, else its picture. */
export function madeAs(shows: Shows, shape: MediaShape | undefined): Shows {
  if (shape === undefined) return shows
  const { file, ...made } = readMediaShape(shape)
  return {
    ...shows,
    ...(shows.films
      ? { films: { ...shows.films, ...made } }
      : shows.drawing && { drawing: sized(shows.drawing, made) }),
    ...(file === undefined ? {} : { file }),
  }
}

/**
 * What is sent for a picture or film of a task.
 * @param spec what it is without any rule.
 * @param shape what a rule says of this answer; it counts before what one said when the task was submitted.
 */
export function sentFor<Spec extends PictureSpec | ClipSpec>(
  task: Task,
  spec: Spec,
  shape: MediaShape | undefined,
): Spec | FileSpec {
  const made = shape === undefined ? {} : readMediaShape(shape)
  const { films, file: recorded } = drawingRequest(task)
  const isOfTask = spec.kind === 'clip' || films === undefined
  const path = made.file ?? (isOfTask ? recorded : undefined)
  if (path !== undefined) return { kind: 'file', path }
  return spec.kind === 'clip'
    ? { ...spec, ...sizeAndLength(made) }
    : { ...spec, drawing: sized(spec.drawing, made) }
}

/** The same drawing with a frame in which it comes out at a size; what was done to it stays in proportion. */
function sized(drawing: Drawing, { width, height }: MadeMedia): Drawing {
  if (width === undefined || height === undefined) return drawing
  const { base, edits } = drawing
  const usual = sizeOf(drawing)
  const side = (own: number, wanted: number, drawn: number): number =>
    Math.max(1, Math.round((own * wanted) / drawn))
  const frame = {
    width: side(base.width, width, usual.width),
    height: side(base.height, height, usual.height),
  }
  return { base: { ...base, ...frame }, edits }
}
