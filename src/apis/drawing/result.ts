import * as z from 'zod/mini'
import { once } from '../../engine/once.ts'
import type { Drawing } from '../../pictures/composition/drawing.ts'
import type { Job } from '../jobs/job/job.ts'
import { drawingModes } from './lifecycle.ts'

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
  | 'PAN'
  | 'ZOOM'
  | 'CUSTOM_ZOOM'
  | 'INPAINT'
  | 'UPLOAD'

/** The billing name of an operation, which is also the model that a key needs (wire §7.4). */
export function modelOf(action: string): string {
  return `mj_${action.toLowerCase()}`
}

const resultKinds = ['grid', 'single', 'enlarged', 'describe'] as const

/** The kind of a result. Its buttons depend on it. */
export type ResultKind = (typeof resultKinds)[number]

/** The result of a task. */
export interface DrawingResult {
  readonly kind: ResultKind
  readonly drawing: Drawing
  /** Prompts for an image. */
  readonly prompts?: readonly string[] | undefined
}

/** What the record of a task has besides its prompt and its image. */
export const drawingInput = once(() =>
  z.object({
    kind: z.enum(resultKinds),
    prompts: z.optional(z.array(z.string())),
    /** The version of the model, such as `7` or `niji 6`. */
    version: z.string(),
    mode: z.enum(drawingModes),
    /** A text from the client, which its responses repeat. */
    state: z.string(),
    /** The button whose dialog the task waits for. */
    dialog: z.optional(z.string()),
  }),
)
export type DrawingInput = z.output<ReturnType<typeof drawingInput>>

export function inputOf({ input }: Job): DrawingInput {
  return input as unknown as DrawingInput
}
