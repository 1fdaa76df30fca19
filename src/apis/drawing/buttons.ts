import type { Draws } from '../../engine/random/draws.ts'
import type { Task } from '../../engine/tasks/tasks.ts'
import type { PanDirection } from '../../pictures/composition/drawing.ts'
import { abortError, type GatewayError } from '../../gateway/replies/errors.ts'
import { drawingRequest, type ResultKind } from './result.ts'

/** The effect of a button. */
export type Press =
  | { readonly does: 'upscale'; readonly tile: number }
  | { readonly does: 'enlarge'; readonly creative: boolean }
  | { readonly does: 'vary'; readonly tile?: number; readonly strong: boolean }
  | { readonly does: 'zoom'; readonly factor: number }
  | { readonly does: 'custom-zoom' }
  | { readonly does: 'inpaint' }
  | { readonly does: 'pan'; readonly towards: PanDirection }
  | { readonly does: 'reroll' }
  | { readonly does: 'imagine'; readonly prompt: number }
  | { readonly does: 'imagine-all' }
  | { readonly does: 'bookmark' }

export interface Button {
  readonly customId: string
  readonly emoji: string
  readonly label: string
  /** Undefined for a button that the gateway refuses. */
  readonly press: Press | undefined
}

/**
 * The buttons of a result, in the order of the channel.
 *
 * @assumed §2.5 buttons are undocumented; wire §7.7.
 */
export function buttonsOf(task: Task, draws: Draws): readonly Button[] {
  const request = drawingRequest(task)
  const job = jobOf(task, draws)
  return makers[request.kind](job, request)
}

/** The button of a result with this id. */
export function findButton(task: Task, { plain }: CustomId, draws: Draws): Button | undefined {
  return buttonsOf(task, draws).find(({ customId }) => plainOf(customId) === plain)
}

/** Whether an id contains the job of this task. */
export function isOfJob(task: Task, { plain }: CustomId, draws: Draws): boolean {
  return plain.includes(jobOf(task, draws)) || !/[0-9a-f]{8}-[0-9a-f]{4}-/.test(plain)
}

/** The id of the image, a UUID. */
function jobOf({ record }: Task, draws: Draws): string {
  const hex = draws.text('0123456789abcdef', 32, 'mj.job', record.id, 0)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-')
}

type Maker = (
  job: string,
  request: {
    readonly version: string
    readonly prompts?: readonly string[]
  },
) => Button[]

const fourTiles = [1, 2, 3, 4] as const

const makers: Readonly<Record<ResultKind, Maker>> = {
  grid: (job) => [
    ...fourTiles.map((tile) =>
      button(`MJ::JOB::upsample::${tile}::${job}`, '', `U${tile}`, { does: 'upscale', tile }),
    ),
    reroll(job),
    ...fourTiles.map((tile) =>
      button(`MJ::JOB::variation::${tile}::${job}`, '', `V${tile}`, { does: 'vary', tile, strong: false }),
    ),
  ],
  single: (job, { version }) => [...enlargeButtons(job, version), ...singleButtons(job)],
  enlarged: (job) => singleButtons(job),
  describe: (_job, { prompts = [] }) => [
    ...prompts.map((_prompt, index) =>
      button(`MJ::Job::PicReader::${index + 1}`, keycap(index + 1), '', { does: 'imagine', prompt: index }),
    ),
    button('MJ::Picread::Retry', '🔄', '', { does: 'reroll' }),
    button('MJ::Job::PicReader::all', '🎉', 'Imagine all', { does: 'imagine-all' }),
  ],
}

/** A digit as a keycap, with which the drawing bot numbers lists. */
export function keycap(digit: number): string {
  return `${digit}\uFE0F\u20E3`
}

function button(customId: string, emoji: string, label: string, press: Press | undefined): Button {
  return { customId, emoji, label, press }
}

function reroll(job: string): Button {
  return button(`MJ::JOB::reroll::0::${job}::SOLO`, '🔄', '', { does: 'reroll' })
}

/** The buttons of upscalers. Their ids depend on the version; the newest version has none. */
function enlargeButtons(job: string, version: string): Button[] {
  const named = (name: string, label: string, creative: boolean): Button =>
    button(`MJ::JOB::upsample_${name}::1::${job}::SOLO`, 'upscale_1', label, { does: 'enlarge', creative })
  if (['1', '2', '3', '4', '8'].includes(version)) return []
  if (version.startsWith('5')) {
    return [named('v5_2x', 'Upscale (2x)', false), named('v5_4x', 'Upscale (4x)', false)]
  }
  const series = version === '6.1' ? 'v6r1' : version === '6' || version.startsWith('niji') ? 'v6' : 'v7'
  return [
    named(`${series}_2x_subtle`, 'Upscale (Subtle)', false),
    named(`${series}_2x_creative`, 'Upscale (Creative)', true),
  ]
}

function singleButtons(job: string): Button[] {
  const pan = (towards: PanDirection, emoji: string): Button =>
    button(`MJ::JOB::pan_${towards}::1::${job}::SOLO`, emoji, '', { does: 'pan', towards })
  const vary = (name: string, label: string, strong: boolean): Button =>
    button(`MJ::JOB::${name}_variation::1::${job}::SOLO`, '🪄', label, { does: 'vary', strong })
  return [
    vary('low', 'Vary (Subtle)', false),
    vary('high', 'Vary (Strong)', true),
    button(`MJ::Inpaint::1::${job}::SOLO`, '🖌️', 'Vary (Region)', { does: 'inpaint' }),
    button(`MJ::Outpaint::50::1::${job}::SOLO`, '🔍', 'Zoom Out 2x', { does: 'zoom', factor: 2 }),
    button(`MJ::Outpaint::75::1::${job}::SOLO`, '🔍', 'Zoom Out 1.5x', { does: 'zoom', factor: 1.5 }),
    button(`MJ::CustomZoom::1::${job}`, '🔍', 'Custom Zoom', { does: 'custom-zoom' }),
    pan('left', '⬅️'),
    pan('right', '➡️'),
    pan('up', '⬆️'),
    pan('down', '⬇️'),
    button(`MJ::JOB::animate_high::1::${job}::SOLO`, '🎞️', 'Animate (High motion)', undefined),
    button(`MJ::JOB::animate_low::1::${job}::SOLO`, '🎞️', 'Animate (Low motion)', undefined),
    reroll(job),
    button(`MJ::BOOKMARK::${job}`, '❤️', '', { does: 'bookmark' }),
  ]
}

/** The id of a button of any result. */
export interface CustomId {
  /** The id in the form of results. */
  readonly plain: string
  /** The number of the image in a grid; undefined without one. */
  readonly index: number | undefined
}

/** The actions of wire §7.7. The gateway itself doesn't know the last three. */
const knownActions = /upsample|variation|pan|reroll|Outpaint|CustomZoom|Inpaint|PicReader|Picread|BOOKMARK/

/**
 * Reads a `customId` without its task.
 *
 * @assumed §4.6 payloads of actions are undocumented; wire §7.7 for the grammar and §7.4 for the refusals.
 * @throws {GatewayError} if it is missing or names an unknown action.
 */
export function readCustomId(value: string): CustomId {
  const [, second = '', third = '', fourth = ''] = value.split('::')
  const action = second === 'JOB' ? third : second === 'Job' ? third || second : second
  if (!knownActions.test(action)) throw invalid(`unknown_action:${value.slice(0, 200)}`)
  const index = /^(?:upsample|variation|PicReader)$/.test(action) ? Number(fourth) : undefined
  return { plain: plainOf(value), index: Number.isInteger(index) ? index : undefined }
}

/** Completes an id, because older clients omit parts of it. */
function plainOf(customId: string): string {
  return customId.replace(/::SOLO$/, '').replace(/^MJ::CustomZoom::1::/, 'MJ::CustomZoom::')
}

function invalid(text: string): GatewayError {
  return abortError(400, `Invalid request: ${text}`)
}
