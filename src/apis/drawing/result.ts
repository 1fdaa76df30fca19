import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import { isObject } from '../../engine/is-object.ts'
import type { RequestField } from '../../engine/tasks/plan.ts'
import { requestOf, type Task } from '../../engine/tasks/tasks.ts'
import type { FileSpec, PictureSpec } from '../../media/spec.ts'
import { drawnSizeOf, type Drawing } from '../../pictures/composition/drawing.ts'
import { readMediaShape, type MadeMedia } from '../../scenario/rules/rule.ts'
import type { MediaShape } from '../../scenario/vocabulary/types.ts'
import type { Plain } from '../../scenario/schema/fields.ts'
import { drawingModes } from './lifecycle.ts'

const actions = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'REROLL',
  'DESCRIBE',
  'BLEND',
  'PAN',
  'ZOOM',
  'CUSTOM_ZOOM',
  'INPAINT',
  'UPLOAD',
] as const

/** The name of an operation in the record of a task (wire §7.5). */
export type DrawingAction = (typeof actions)[number]

/** The billing name of an operation, which is also the model that a key needs (wire §7.4). */
export function modelOf(action: DrawingAction): string {
  return `mj_${action.toLowerCase()}`
}

const resultKinds = ['grid', 'single', 'enlarged', 'describe'] as const

/** The kind of a result. Its buttons depend on it. */
export type ResultKind = (typeof resultKinds)[number]

/** The result of a task, as plain data. */
const result = once(() => ({
  kind: z.enum(resultKinds),
  /** Missing for a result without an image. */
  drawing: z.optional(z.custom<Drawing>(isObject)),
  /** Prompts for an image. */
  prompts: z.optional(z.array(z.string())),
  /** The absolute path of a file that is sent instead of the image. */
  file: z.optional(z.string()),
}))

/** The request in the record of a drawing task, including its future result. */
export const storedDrawing = once(() =>
  z.object({
    model: z.string(),
    action: z.enum(actions),
    prompt: z.string(),
    /** The version of the model, such as `7` or `niji 6`. */
    version: z.string(),
    seed: z.number(),
    mode: z.enum(drawingModes),
    /** A text from the client, which its responses repeat. */
    state: z.string(),
    /** The task whose button was pressed. */
    parent: z.optional(z.string()),
    /** The button whose dialog the task waits for. */
    dialog: z.optional(z.string()),
    /** The URL for reports of changes, and the origin of links in the reports. */
    hook: z.optional(z.string()),
    hookOrigin: z.optional(z.string()),
    ...result(),
  }),
)
export type DrawingRequest = Plain<z.output<ReturnType<typeof storedDrawing>>>
export type DrawingResult = Pick<DrawingRequest, keyof ReturnType<typeof result>>

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

/** Applies a rule's media to a result. */
export function withMedia(result: DrawingResult, shape: MediaShape | undefined): DrawingResult {
  if (shape === undefined) return result
  const { file, ...made } = readMediaShape(shape)
  return {
    ...result,
    ...(result.drawing && { drawing: resize(result.drawing, made) }),
    ...(file === undefined ? {} : { file }),
  }
}

/**
 * The media that is sent for the image of a task.
 * @param spec the media without any rule.
 * @param shape the media of a rule for this response. It overrides that of a rule for the submission.
 */
export function mediaFor(
  task: Task,
  spec: PictureSpec,
  shape: MediaShape | undefined,
): PictureSpec | FileSpec {
  const made = shape === undefined ? {} : readMediaShape(shape)
  const path = made.file ?? drawingRequest(task).file
  if (path !== undefined) return { kind: 'file', path }
  return { ...spec, drawing: resize(spec.drawing, made) }
}

/** The same drawing with another size, scaled through all edits. */
function resize(drawing: Drawing, { width, height }: MadeMedia): Drawing {
  if (width === undefined || height === undefined) return drawing
  const { base, edits } = drawing
  const actual = drawnSizeOf(drawing)
  const side = (base: number, target: number, drawn: number): number =>
    Math.max(1, Math.round((base * target) / drawn))
  const frame = {
    width: side(base.width, width, actual.width),
    height: side(base.height, height, actual.height),
  }
  return { base: { ...base, ...frame }, edits }
}
