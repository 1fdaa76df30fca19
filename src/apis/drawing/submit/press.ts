import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { Core } from '../../../gateway/core.ts'
import type { Press } from '../buttons.ts'
import { drawingRequest, type DrawingRequest, type DrawingResult } from '../result.ts'
import { drawingId, type Parent } from '../task.ts'
import { accept, createTask, submitTask, type CommonFields, type TaskParams } from './submission.ts'
import type { Drawing, DrawingBase, DrawingEdit } from '../../../pictures/composition/drawing.ts'
import { describeImage, drawPrompt } from '../composition.ts'
import type { PromptFlags } from '../flags.ts'
import { plainPrompt, type DrawingPrompt } from '../prompt.ts'

/** A button with its effect. */
export interface PressedButton {
  readonly customId: string
  readonly press: Press
}

/** Presses a button of a finished task. */
export function pressButton(
  x: Exchange,
  { customId, press }: PressedButton,
  parent: Parent,
  common: CommonFields,
  core: Core,
): Reply | TaskParams {
  /** @assumed §4.6 bookmarks are undocumented; wire §7.7: they create no task. */
  if (press.does === 'bookmark') return accept(x, parent.task.record.id, core)
  if (press.does === 'imagine-all') return imagineAll(x, parent, common, core)
  const params = paramsOf(press, parent)
  if (press.does === 'upscale') {
    const onceKey = `${parent.task.record.id}/${customId}`
    return acceptTaken(x, onceKey, core) ?? { ...params, onceKey }
  }
  const code = dialogCode(press, common.remix)
  if (code === undefined) return params
  const properties = { finalPrompt: params.prompt, remix: true }
  // Clients look for the word `confirm` (wire §7.8).
  const answer = { code, description: 'Waiting for window confirm', properties }
  return submitTask(x, { ...params, dialog: customId }, common, core, answer)
}

/**
 * The code of a press that first opens a dialog. The gateway reports 21 if the dialog is required, and otherwise 1.
 *
 * @assumed §4.6 dialogs are only mentioned; wire §7.4 and §7.8.
 */
function dialogCode({ does }: SinglePress, remix: boolean): 1 | 21 | undefined {
  if (does === 'inpaint' || does === 'custom-zoom') return 21
  return remix && (does === 'vary' || does === 'pan' || does === 'reroll') ? 1 : undefined
}

function paramsOf(press: SinglePress, { task, request }: Parent): TaskParams {
  const { version, mode } = request
  return {
    version,
    flagged: mode,
    ...applyButton(request, press),
    parent: task.record.id,
  }
}

/**
 * Responds to a press whose image was taken before, with the id of the existing task.
 *
 * @assumed §2.4 a button that was used is undocumented; wire §7.4, code 21, which the gateway rewrites to 1.
 */
function acceptTaken(x: Exchange, onceKey: string, core: Core): Reply | undefined {
  const { namespace, tasks, now, origin } = x
  for (let occurrence = namespace.acceptances.count(onceKey) - 1; occurrence >= 0; occurrence--) {
    const id = drawingId(x, onceKey, occurrence)
    const task = tasks.find(id)
    if (!task) continue
    const { state: status } = tasks.view(task, now)
    if (status === task.lifecycle.roles.failure) continue
    const isDone = status === task.lifecycle.roles.success && drawingRequest(task).drawing !== undefined
    const imageUrl = isDone ? `${origin}/mj/image/${id}` : ''
    return accept(x, id, core, { description: '任务已存在', properties: { status, imageUrl } })
  }
  return undefined
}

/** Draws every prompt of a description. The response contains the id of the first task, and a list of all. */
function imagineAll(x: Exchange, parent: Parent, common: CommonFields, core: Core): Reply {
  const prompts = parent.request.prompts ?? []
  const ids = prompts.map((_prompt, index) => {
    const params = paramsOf({ does: 'imagine', prompt: index }, parent)
    return createTask(x, params, common, core).record.id
  })
  return accept(x, ids[0]!, core, { properties: { tasks: ids } })
}

/** The presses that create one task. */
type SinglePress = Exclude<Press, { does: 'imagine-all' | 'bookmark' }>

/** The task that is created by pressing a button of a result. */
function applyButton(
  parent: DrawingRequest,
  press: SinglePress,
): Omit<TaskParams, 'version'> & { version?: string } {
  const { prompt } = parent
  const drawing = parent.drawing!
  const single = (edit: DrawingEdit): DrawingResult => ({ kind: 'single', drawing: addEdit(drawing, edit) })
  const grid = (edit: DrawingEdit): DrawingResult => ({ kind: 'grid', drawing: addEdit(drawing, edit) })
  switch (press.does) {
    case 'upscale':
      return { action: 'UPSCALE', prompt, result: () => single({ do: 'upscale', tile: press.tile }) }
    case 'enlarge':
      return {
        action: 'UPSCALE',
        prompt,
        result: (seed) => ({
          ...single({ do: 'enlarge', creative: press.creative, seed }),
          kind: 'enlarged',
        }),
      }
    case 'vary': {
      const { tile, strong } = press
      const action = tile !== undefined ? 'VARIATION' : strong ? 'HIGH_VARIATION' : 'LOW_VARIATION'
      const which = tile === undefined ? {} : { tile }
      return { action, prompt, result: (seed) => grid({ do: 'vary', ...which, strong, seed }) }
    }
    case 'zoom':
      return { action: 'ZOOM', prompt, result: (seed) => grid({ do: 'zoom', factor: press.factor, seed }) }
    case 'custom-zoom':
      return { action: 'CUSTOM_ZOOM', prompt, result: (seed) => grid({ do: 'zoom', factor: 2, seed }) }
    case 'inpaint':
      return {
        action: 'INPAINT',
        prompt,
        result: (seed) => grid({ do: 'inpaint', prompt: plainPrompt(prompt).text, seed }),
      }
    case 'pan':
      return { action: 'PAN', prompt, result: (seed) => grid({ do: 'pan', towards: press.towards, seed }) }
    case 'imagine': {
      const chosen = plainPrompt(parent.prompts![press.prompt]!)
      const { prompt: text, problem, flags } = chosen
      const version = flags.version ?? parent.version
      return {
        action: 'IMAGINE',
        prompt: text,
        result: drawPrompt(chosen, [], version),
        seed: flags.seed,
        problem,
        version,
        ...(flags.mode && { flagged: flags.mode }),
      }
    }
    case 'reroll':
      return {
        action: parent.kind === 'describe' ? 'DESCRIBE' : 'REROLL',
        prompt,
        result: (seed) => reroll(parent, seed),
      }
  }
}

/** Repeats the last edit before any upscaling, otherwise the drawing itself, with another seed. */
function reroll({ kind, drawing, prompts }: DrawingRequest, seed: number): DrawingResult {
  if (kind === 'describe' && drawing?.base.kind === 'photo' && prompts) {
    const { image } = drawing.base
    return { kind, drawing, prompts: describeImage(image, seed) }
  }
  const { base, edits } = drawing!
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
  if (!drawing) return result
  const { base, edits } = drawing
  const last = edits.at(-1)
  if (last)
    return { ...result, drawing: { base, edits: [...edits.slice(0, -1), withAnswer(last, prompt, mask)] } }
  if (!prompt || base.kind !== 'imagine') return { ...result, drawing }
  // A repeated image keeps its ratio, unless the answer sets another.
  const seed = prompt.flags.seed ?? base.seed
  const redrawn = drawPrompt(prompt, base.images ?? [], version)(seed)
  const { width, height } = base
  const frame = prompt.flags.ratio === undefined ? { width, height } : {}
  return { ...redrawn, drawing: { base: { ...redrawn.drawing!.base, ...frame } as DrawingBase, edits: [] } }
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

function addEdit({ base, edits }: Drawing, edit: DrawingEdit): Drawing {
  return { base, edits: [...edits, edit] }
}
