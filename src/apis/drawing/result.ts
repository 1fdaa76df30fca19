import type { RequestField } from '../../engine/tasks/plan.ts'
import { requestOf, type Task } from '../../engine/tasks/tasks.ts'
import type { ClipSpec, FileSpec, PictureSpec, Quality } from '../../media/spec.ts'
import { sizeOf } from '../../pictures/composition/drawing-size.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import { readMediaShape, sizeAndLength, type MadeMedia } from '../../scenario/media-shape.ts'
import type { MediaShape } from '../../scenario/vocabulary/types.ts'
import type { Mode } from './lifecycle.ts'

/** The name of an operation in the record of a task (wire §7.5). */
export type DrawingAction =
  | 'IMAGINE'
  | 'UPSCALE'
  | 'VARIATION'
  | 'HIGH_VARIATION'
  | 'LOW_VARIATION'
  | 'REROLL'
  | 'DESCRIBE'
  | 'BLEND'
  | 'SHORTEN'
  | 'PAN'
  | 'ZOOM'
  | 'CUSTOM_ZOOM'
  | 'INPAINT'
  | 'SWAP_FACE'
  | 'UPLOAD'
  | 'VIDEO'
  | 'EDITS'

/** The billing name of an operation, which is also the model that a key needs (wire §7.4). */
export function modelOf(action: DrawingAction): string {
  return action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`
}

/** The kind of a result. Its buttons depend on it. */
export type ResultKind =
  'grid' | 'single' | 'enlarged' | 'describe' | 'shorten' | 'videos' | 'video' | 'plain'

/** Videos made from a drawing. */
export interface Videos {
  readonly prompt: string
  /** One for each video. */
  readonly seeds: readonly string[]
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly motion: 'low' | 'high'
  readonly loop: boolean
  readonly quality: Quality
  readonly framesPerSecond: number
}

/** The result of a task, as plain data. */
export interface DrawingResult {
  readonly kind: ResultKind
  /** Missing for a result without an image. */
  readonly drawing?: Drawing
  /** Prompts for an image, or shorter forms of a prompt. */
  readonly prompts?: readonly string[]
  readonly videos?: Videos
  /** The absolute path of a file that is sent instead of the videos, otherwise instead of the image. */
  readonly file?: string
}

/** The request in the record of a drawing task, including its future result. */
export interface DrawingRequest extends DrawingResult {
  readonly model: string
  readonly action: DrawingAction
  readonly prompt: string
  /** The version of the model, such as `7` or `niji 6`. */
  readonly version: string
  readonly seed: number
  readonly mode: Mode
  /** A text from the client, which its responses repeat. */
  readonly state: string
  /** The task whose button was pressed. */
  readonly parent?: string
  /** The button whose dialog the task waits for. */
  readonly dialog?: string
  /** The URL for reports of changes, and the origin of links in the reports. */
  readonly hook?: string
  readonly hookOrigin?: string
}

const drawingFields: Readonly<Record<keyof DrawingRequest, true>> = {
  model: true,
  action: true,
  prompt: true,
  version: true,
  seed: true,
  mode: true,
  state: true,
  parent: true,
  dialog: true,
  hook: true,
  hookOrigin: true,
  kind: true,
  drawing: true,
  prompts: true,
  videos: true,
  file: true,
}
/** All fields that the request of a drawing task may have. */
export const drawingFieldNames = Object.keys(drawingFields)

/** The request of a drawing task, including the answer to its dialog. */
export function drawingRequest(task: Task): DrawingRequest {
  return requestOf(task) as unknown as DrawingRequest
}

/** The fields of a record. */
export function toFields(request: Partial<DrawingRequest>): Readonly<Record<string, RequestField>> {
  return request as unknown as Readonly<Record<string, RequestField>>
}

/** Whether a task is one of this API. */
export function isDrawing({ lifecycle }: Task): boolean {
  return lifecycle.name === 'drawing'
}

/** Applies a rule's media to a result: to its videos if it has any, otherwise to its image. */
export function withMedia(result: DrawingResult, shape: MediaShape | undefined): DrawingResult {
  if (shape === undefined) return result
  const { file, ...made } = readMediaShape(shape)
  return {
    ...result,
    ...(result.videos
      ? { videos: { ...result.videos, ...made } }
      : result.drawing && { drawing: resize(result.drawing, made) }),
    ...(file === undefined ? {} : { file }),
  }
}

/**
 * The media that is sent for an image or video of a task.
 * @param spec the media without any rule.
 * @param shape the media of a rule for this response. It overrides that of a rule for the submission.
 */
export function mediaFor<Spec extends PictureSpec | ClipSpec>(
  task: Task,
  spec: Spec,
  shape: MediaShape | undefined,
): Spec | FileSpec {
  const made = shape === undefined ? {} : readMediaShape(shape)
  const { videos, file: recorded } = drawingRequest(task)
  const isOfTask = spec.kind === 'clip' || videos === undefined
  const path = made.file ?? (isOfTask ? recorded : undefined)
  if (path !== undefined) return { kind: 'file', path }
  return spec.kind === 'clip'
    ? { ...spec, ...sizeAndLength(made) }
    : { ...spec, drawing: resize(spec.drawing, made) }
}

/** The same drawing with another size, scaled through all edits. */
function resize(drawing: Drawing, { width, height }: MadeMedia): Drawing {
  if (width === undefined || height === undefined) return drawing
  const { base, edits } = drawing
  const actual = sizeOf(drawing)
  const side = (base: number, target: number, drawn: number): number =>
    Math.max(1, Math.round((base * target) / drawn))
  const frame = {
    width: side(base.width, width, actual.width),
    height: side(base.height, height, actual.height),
  }
  return { base: { ...base, ...frame }, edits }
}
