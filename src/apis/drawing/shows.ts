import type { RequestField } from '../../engine/tasks/plan.ts'
import { requestOf, type Task } from '../../engine/tasks/tasks.ts'
import type { Quality } from '../../media/spec.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import type { Mode } from './pace.ts'
import type { DrawingAction } from './words.ts'

/** What a task's result is; it decides which buttons it carries. */
export type ResultKind = 'grid' | 'single' | 'enlarged' | 'describe' | 'shorten' | 'video' | 'film' | 'plain'

/** Films made from a drawing. */
export interface Films {
  readonly prompt: string
  /** One for each film: what it moves by. */
  readonly seeds: readonly string[]
  readonly width: number
  readonly height: number
  readonly seconds: number
  readonly motion: 'low' | 'high'
  readonly loop: boolean
  readonly quality: Quality
  readonly framesPerSecond: number
}

/** What a task shows when it has ended well, as plain data. */
export interface Shows {
  readonly kind: ResultKind
  /** Missing only for what has no picture. */
  readonly drawing?: Drawing
  /** Prompts found in a picture, or made of a longer one. */
  readonly prompts?: readonly string[]
  readonly films?: Films
  /** The absolute path of a file that is sent in place of films, or where there are none, of the picture. */
  readonly file?: string
}

/** What a drawing task's record remembers of its request. */
export interface DrawingRequest extends Shows {
  readonly model: string
  readonly action: DrawingAction
  readonly prompt: string
  /** What draws it, such as `7` or `niji 6`. */
  readonly version: string
  readonly seed: number
  readonly mode: Mode
  /** What the client wants to read again. */
  readonly state: string
  /** The task whose button was pressed. */
  readonly parent?: string
  /** While a dialog waits: the button that opened it. */
  readonly dialog?: string
  /** Where changes are reported, and what links in the reports begin with. */
  readonly hook?: string
  readonly hookOrigin?: string
}

/** What is remembered of a drawing task's request, the answer to its dialog included. */
export function drawingRequest(task: Task): DrawingRequest {
  return requestOf(task) as unknown as DrawingRequest
}

/** As a record keeps it. */
export function asFields(request: Partial<DrawingRequest>): Readonly<Record<string, RequestField>> {
  return request as unknown as Readonly<Record<string, RequestField>>
}

/** Whether a task is of this surface. */
export function isDrawing({ lifecycle }: Task): boolean {
  return lifecycle.name === 'drawing'
}
