import type { Job } from '../../jobs/job/job.ts'
import type { ComposeCall } from '../../jobs/compose/composed.ts'
import type { Drawing, DrawingBase, DrawingEdit } from '../../../pictures/composition/drawing.ts'
import type { Button, EditPress, Press } from '../buttons.ts'
import { describeImage, drawPrompt } from '../composition.ts'
import type { PromptFlags } from '../flags.ts'
import { plainPrompt, type DrawingPrompt } from '../prompt.ts'
import { drawingError } from '../refusals.ts'
import { inputOf, type DrawingResult } from '../result.ts'
import type { CommonBody } from './form.ts'
import type { NewDrawing } from './submission.ts'

/**
 * The finished task that a press is about.
 *
 * @assumed §4.6 follow-ups are undocumented; wire §7.4.
 * @throws {GatewayError} if it was not successful.
 */
export function parentOf({ parent }: Pick<ComposeCall<unknown>, 'parent'>): Job {
  if (parent!.hasSucceeded) return parent!
  throw drawingError(4, 'task_status_not_success').withHint(`Task ${parent!.id} is ${parent!.status}.`)
}

/** What a button of a finished task makes; that task, if it makes nothing. */
export function pressButton(
  parent: Job,
  { customId, press }: Button & { readonly press: Press },
  { enableRemix }: CommonBody,
): NewDrawing | readonly NewDrawing[] | Job {
  const { version, mode, prompts = [] } = inputOf(parent)
  const { prompt } = parent
  const common = { prompt, version, flagged: mode }
  const opensDialog = (dialog: EditPress['dialog']): boolean =>
    dialog === 'always' || (dialog === 'remix' && enableRemix === true)
  switch (press.does) {
    /** @assumed §4.6 bookmarks are undocumented; wire §7.7: they create no task. */
    case 'bookmark':
      return parent
    case 'imagine-all':
      return prompts.map((_prompt, index) => imagine(parent, index))
    case 'imagine':
      return imagine(parent, press.prompt)
    case 'reroll':
      return {
        ...common,
        action: inputOf(parent).kind === 'describe' ? 'DESCRIBE' : 'REROLL',
        result: (seed) => reroll(parent, seed),
        ...(opensDialog('remix') && { dialog: customId }),
      }
    case 'edit': {
      const { action, makes: kind, edit, dialog } = press
      const { base, edits } = parent.drawing!
      return {
        ...common,
        action,
        result: (seed) => ({
          kind,
          drawing: { base, edits: [...edits, completeEdit(edit, prompt, seed)] },
        }),
        ...(opensDialog(dialog) && { dialog: customId }),
        ...(edit.do === 'upscale' && { once: `${parent.id}/${customId}` }),
      }
    }
  }
}

function completeEdit(edit: EditPress['edit'], prompt: string, seed: number): DrawingEdit {
  if (edit.do === 'upscale') return edit
  if (edit.do === 'inpaint') return { ...edit, prompt: plainPrompt(prompt).text, seed }
  return { ...edit, seed }
}

/** Draws a prompt of a description. */
function imagine(parent: Job, index: number): NewDrawing {
  const { prompts = [], ...input } = inputOf(parent)
  const chosen = plainPrompt(prompts[index]!)
  const { prompt, problem, flags } = chosen
  const { version = input.version, mode = input.mode, seed } = flags
  return {
    action: 'IMAGINE',
    prompt,
    version,
    flagged: mode,
    seed,
    problem,
    result: drawPrompt(chosen, [], version),
  }
}

/** Repeats the last edit before any upscaling, otherwise the drawing itself, with another seed. */
function reroll(parent: Job, seed: number): DrawingResult {
  const { kind, prompts } = inputOf(parent)
  const drawing = parent.drawing!
  if (kind === 'describe' && drawing.base.kind === 'photo' && prompts) {
    const { image } = drawing.base
    return { kind, drawing, prompts: describeImage(image, seed) }
  }
  const { base, edits } = drawing
  const last = edits.findLastIndex((edit) => edit.do !== 'upscale' && edit.do !== 'enlarge')
  if (last < 0) return { kind: 'grid', drawing: { base: reseedBase(base, seed), edits: [] } }
  const edit = { ...edits[last]!, seed } as DrawingEdit
  return { kind: 'grid', drawing: { base, edits: [...edits.slice(0, last), edit] } }
}

function reseedBase(base: DrawingBase, seed: number): DrawingBase {
  return 'seed' in base ? { ...base, seed } : base
}

/** The answer to a dialog. */
export interface DialogAnswer {
  readonly prompt: DrawingPrompt | undefined
  readonly mask: string | undefined
}

/** The result after a dialog. The answer changes the last edit, otherwise the prompt. */
export function answerDialog(
  { drawing, ...result }: DrawingResult,
  { prompt, mask }: DialogAnswer,
  version: string,
): DrawingResult {
  const { base, edits } = drawing
  const last = edits.at(-1)
  const of = (answered: Drawing): DrawingResult => ({ ...result, drawing: answered })
  if (last) return of({ base, edits: [...edits.slice(0, -1), withAnswer(last, prompt, mask)] })
  if (!prompt || base.kind !== 'imagine') return of(drawing)
  // A repeated image keeps its ratio, unless the answer sets another.
  const seed = prompt.flags.seed ?? base.seed
  const redrawn = drawPrompt(prompt, base.images ?? [], version)(seed)
  const { width, height } = base
  const frame = prompt.flags.ratio === undefined ? { width, height } : {}
  return { ...redrawn, drawing: { base: { ...redrawn.drawing.base, ...frame } as DrawingBase, edits: [] } }
}

function withAnswer(
  edit: DrawingEdit,
  prompt: DrawingPrompt | undefined,
  mask: string | undefined,
): DrawingEdit {
  const words = prompt === undefined || prompt.text === '' ? {} : { prompt: prompt.text }
  const seed = prompt?.flags.seed === undefined ? {} : { seed: prompt.flags.seed }
  if (edit.do === 'inpaint') return { ...edit, ...words, ...seed, ...(mask === undefined ? {} : { mask }) }
  if (edit.do === 'zoom') return { ...edit, ...words, ...seed, ...zoomOf(prompt?.flags ?? {}) }
  return edit.do === 'vary' || edit.do === 'pan' ? { ...edit, ...words, ...seed } : edit
}

/** The zoom of a dialog. A ratio alone does not zoom; a custom zoom without flags is by two. */
function zoomOf({ zoom, ratio }: PromptFlags): { factor?: number; ratio?: number } {
  if (ratio === undefined) return zoom === undefined ? {} : { factor: zoom }
  return { factor: zoom ?? 1, ratio }
}
