import type { Drawing, DrawingBase, DrawingEdit } from '../../../pictures/composition/drawing.ts'
import { promptsIn } from '../images/photo-drawing.ts'
import type { Press } from './buttons.ts'
import { filmsOf, withSeeds } from '../images/videos.ts'
import type { PromptFlags } from '../flags.ts'
import type { Mode } from '../pace.ts'
import { imaginedShows } from '../images/imagined.ts'
import { plainPrompt, type DrawingPrompt } from '../images/prompt.ts'
import type { DrawingSettings } from '../settings.ts'
import type { DrawingRequest, Shows } from '../shows.ts'
import type { DrawingAction } from '../words.ts'

/** What a press makes of a result. */
export interface Pressed {
  readonly action: DrawingAction
  readonly prompt: string
  readonly shows: (seed: number) => Shows
  /** What flags of a prompt that is imagined ask for. */
  readonly seed?: number | undefined
  readonly problem?: string | undefined
  readonly version?: string
  readonly flagged?: Mode
}

/** Presses that make one task; the others are answered otherwise. */
export type MakingPress = Exclude<Press, { does: 'imagine-all' | 'bookmark' }>

/** What pressing a button of a result will show. */
export function applyButton(parent: DrawingRequest, press: MakingPress, settings: DrawingSettings): Pressed {
  const { prompt } = parent
  const drawing = parent.drawing!
  const single = (edit: DrawingEdit): Shows => ({ kind: 'single', drawing: edited(drawing, edit) })
  const grid = (edit: DrawingEdit): Shows => ({ kind: 'grid', drawing: edited(drawing, edit) })
  switch (press.does) {
    case 'upscale':
      return { action: 'UPSCALE', prompt, shows: () => single({ do: 'upscale', tile: press.tile }) }
    case 'enlarge':
      return {
        action: 'UPSCALE',
        prompt,
        shows: (seed) => ({ ...single({ do: 'enlarge', creative: press.creative, seed }), kind: 'enlarged' }),
      }
    case 'vary': {
      const { tile, strong } = press
      const action = tile !== undefined ? 'VARIATION' : strong ? 'HIGH_VARIATION' : 'LOW_VARIATION'
      const which = tile === undefined ? {} : { tile }
      return { action, prompt, shows: (seed) => grid({ do: 'vary', ...which, strong, seed }) }
    }
    case 'zoom':
      return { action: 'ZOOM', prompt, shows: (seed) => grid({ do: 'zoom', factor: press.factor, seed }) }
    case 'custom-zoom':
      return { action: 'CUSTOM_ZOOM', prompt, shows: (seed) => grid({ do: 'zoom', factor: 2, seed }) }
    case 'inpaint':
      return {
        action: 'INPAINT',
        prompt,
        shows: (seed) => grid({ do: 'inpaint', prompt: plainPrompt(prompt).text, seed }),
      }
    case 'pan':
      return { action: 'PAN', prompt, shows: (seed) => grid({ do: 'pan', towards: press.towards, seed }) }
    case 'animate':
      return {
        action: 'VIDEO',
        prompt,
        shows: (seed) => ({
          kind: 'video',
          drawing,
          films: filmsOf(drawing, { prompt, motion: press.motion }, seed, settings),
        }),
      }
    case 'take-film':
      return {
        action: 'UPSCALE',
        prompt,
        shows: () => ({
          kind: 'film',
          drawing,
          films: { ...parent.films!, seeds: [parent.films!.seeds[press.film - 1]!] },
        }),
      }
    case 'imagine': {
      const chosen = plainPrompt(parent.prompts![press.prompt]!)
      const { prompt: text, problem, flags } = chosen
      const version = flags.version ?? parent.version
      return {
        action: 'IMAGINE',
        prompt: text,
        shows: imaginedShows(chosen, [], version),
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
        shows: (seed) => rerolled(parent, seed),
      }
  }
}

/**
 * The same once more, with other dice: what was done last, or where nothing was, what it began with. Making a picture
 * larger has no dice, so what lies before that counts.
 */
function rerolled({ kind, drawing, prompts, films }: DrawingRequest, seed: number): Shows {
  if (kind === 'describe' && drawing?.base.kind === 'photo' && prompts) {
    const { image } = drawing.base
    return { kind, drawing, prompts: promptsIn(image, seed) }
  }
  if (films) return { kind: 'video', drawing: drawing!, films: withSeeds(films, seed) }
  const { base, edits } = drawing!
  const last = edits.findLastIndex((edit) => edit.do !== 'upscale' && edit.do !== 'enlarge')
  if (last < 0) return { kind: 'grid', drawing: { base: redrawn(base, seed), edits: [] } }
  const edit = { ...edits[last]!, seed } as DrawingEdit
  return { kind: 'grid', drawing: { base, edits: [...edits.slice(0, last), edit] } }
}

function redrawn(base: DrawingBase, seed: number): DrawingBase {
  return 'seed' in base ? { ...base, seed } : base
}

/** What the client answered in a dialog. */
export interface DialogAnswer {
  readonly prompt: DrawingPrompt | undefined
  readonly mask: string | undefined
}

/** What a task will show after its dialog: the answer changes what was about to be done last. */
export function answered(
  { drawing, ...shows }: Shows,
  { prompt, mask }: DialogAnswer,
  version: string,
): Shows {
  if (!drawing) return shows
  const { base, edits } = drawing
  const last = edits.at(-1)
  if (last)
    return { ...shows, drawing: { base, edits: [...edits.slice(0, -1), withAnswer(last, prompt, mask)] } }
  if (!prompt || base.kind !== 'imagine') return { ...shows, drawing }
  // A picture imagined anew is imagined as the answer says, in the shape that it had unless it says another.
  const seed = prompt.flags.seed ?? base.seed
  const anew = imaginedShows(prompt, base.images ?? [], version)(seed)
  const { width, height } = base
  const frame = prompt.flags.ratio === undefined ? { width, height } : {}
  return { ...anew, drawing: { base: { ...anew.drawing!.base, ...frame } as DrawingBase, edits: [] } }
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

/** Another shape alone keeps the picture as large as it is; without either flag a custom zoom is one by two. */
function zoomOf({ zoom, ratio }: PromptFlags): { factor?: number; ratio?: number } {
  if (ratio === undefined) return zoom === undefined ? {} : { factor: zoom }
  return { factor: zoom ?? 1, ratio }
}

function edited({ base, edits }: Drawing, edit: DrawingEdit): Drawing {
  return { base, edits: [...edits, edit] }
}
