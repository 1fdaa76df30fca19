import type { Job } from '../jobs/job/job.ts'
import type { DrawingEdit } from '../../pictures/composition/drawing.ts'
import { abortError, type GatewayError } from '../../gateway/replies/errors.ts'
import { inputOf, type DrawingAction, type ResultKind } from './result.ts'

type WithoutSeed<Edit> = Edit extends DrawingEdit ? Omit<Edit, 'seed' | 'prompt'> : never

/** A button that edits the image of its result. */
export interface EditPress {
  readonly does: 'edit'
  readonly action: DrawingAction
  readonly makes: ResultKind
  readonly edit: WithoutSeed<DrawingEdit>
  /** Whether it opens a dialog first: in each case, or if the client wants one. */
  readonly dialog?: 'always' | 'remix'
}

/** The effect of a button. */
export type Press =
  | EditPress
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

/** A button as data. `{job}` in its id stands for the id of the image. */
type Row = readonly [customId: string, emoji: string, label: string, press?: Press]

const toGrid = (action: DrawingAction, edit: EditPress['edit'], dialog?: EditPress['dialog']): EditPress => ({
  does: 'edit',
  action,
  makes: 'grid',
  edit,
  ...(dialog && { dialog }),
})

const enlarge = (creative: boolean): EditPress => ({
  does: 'edit',
  action: 'UPSCALE',
  makes: 'enlarged',
  edit: { do: 'enlarge', creative },
})

const reroll: Row = ['MJ::JOB::reroll::0::{job}::SOLO', '🔄', '', { does: 'reroll' }]
const tiles = [1, 2, 3, 4] as const

const gridRows: readonly Row[] = [
  ...tiles.map((tile): Row => {
    const press = { does: 'edit', action: 'UPSCALE', makes: 'single', edit: { do: 'upscale', tile } } as const
    return [`MJ::JOB::upsample::${tile}::{job}`, '', `U${tile}`, press]
  }),
  reroll,
  ...tiles.map((tile): Row => {
    const press = toGrid('VARIATION', { do: 'vary', tile, strong: false }, 'remix')
    return [`MJ::JOB::variation::${tile}::{job}`, '', `V${tile}`, press]
  }),
]

const variation = (name: string, label: string, action: DrawingAction, strong: boolean): Row => [
  `MJ::JOB::${name}_variation::1::{job}::SOLO`,
  '🪄',
  label,
  toGrid(action, { do: 'vary', strong }, 'remix'),
]
const zoom = (percent: number, label: string, factor: number): Row => [
  `MJ::Outpaint::${percent}::1::{job}::SOLO`,
  '🔍',
  label,
  toGrid('ZOOM', { do: 'zoom', factor }),
]
const pans = { left: '⬅️', right: '➡️', up: '⬆️', down: '⬇️' } as const

const singleRows: readonly Row[] = [
  variation('low', 'Vary (Subtle)', 'LOW_VARIATION', false),
  variation('high', 'Vary (Strong)', 'HIGH_VARIATION', true),
  ['MJ::Inpaint::1::{job}::SOLO', '🖌️', 'Vary (Region)', toGrid('INPAINT', { do: 'inpaint' }, 'always')],
  zoom(50, 'Zoom Out 2x', 2),
  zoom(75, 'Zoom Out 1.5x', 1.5),
  [
    'MJ::CustomZoom::1::{job}',
    '🔍',
    'Custom Zoom',
    toGrid('CUSTOM_ZOOM', { do: 'zoom', factor: 2 }, 'always'),
  ],
  ...(['left', 'right', 'up', 'down'] as const).map((towards): Row => {
    const press = toGrid('PAN', { do: 'pan', towards }, 'remix')
    return [`MJ::JOB::pan_${towards}::1::{job}::SOLO`, pans[towards], '', press]
  }),
  ['MJ::JOB::animate_high::1::{job}::SOLO', '🎞️', 'Animate (High motion)'],
  ['MJ::JOB::animate_low::1::{job}::SOLO', '🎞️', 'Animate (Low motion)'],
  reroll,
  ['MJ::BOOKMARK::{job}', '❤️', '', { does: 'bookmark' }],
]

const upscaler = (name: string, label: string, isCreative = false): Row => [
  `MJ::JOB::upsample_${name}::1::{job}::SOLO`,
  'upscale_1',
  label,
  enlarge(isCreative),
]

/** The buttons of upscalers. Their ids depend on the version; the newest version has none. */
function enlargeRows(version: string): readonly Row[] {
  if (['1', '2', '3', '4', '8'].includes(version)) return []
  if (version.startsWith('5')) return [upscaler('v5_2x', 'Upscale (2x)'), upscaler('v5_4x', 'Upscale (4x)')]
  const series = version === '6.1' ? 'v6r1' : version === '6' || version.startsWith('niji') ? 'v6' : 'v7'
  return [
    upscaler(`${series}_2x_subtle`, 'Upscale (Subtle)'),
    upscaler(`${series}_2x_creative`, 'Upscale (Creative)', true),
  ]
}

function describeRows(prompts: readonly string[]): readonly Row[] {
  return [
    ...prompts.map((_prompt, index): Row => {
      const number = index + 1
      return [`MJ::Job::PicReader::${number}`, keycap(number), '', { does: 'imagine', prompt: index }]
    }),
    ['MJ::Picread::Retry', '🔄', '', { does: 'reroll' }],
    ['MJ::Job::PicReader::all', '🎉', 'Imagine all', { does: 'imagine-all' }],
  ]
}

function rowsOf(job: Job): readonly Row[] {
  const { kind, version, prompts = [] } = inputOf(job)
  if (kind === 'grid') return gridRows
  if (kind === 'describe') return describeRows(prompts)
  return kind === 'single' ? [...enlargeRows(version), ...singleRows] : singleRows
}

/**
 * The buttons of a result, in the order of the channel.
 *
 * @assumed §2.5 buttons are undocumented; wire §7.7.
 */
export function buttonsOf(job: Job): readonly Button[] {
  const image = imageIdOf(job)
  return rowsOf(job).map(([customId, emoji, label, press]) => ({
    customId: customId.replace('{job}', image),
    emoji,
    label,
    press,
  }))
}

/** The button of a result with this id. */
export function findButton(job: Job, { plain }: CustomId): Button | undefined {
  return buttonsOf(job).find(({ customId }) => plainOf(customId) === plain)
}

/** Whether an id contains that of the image of this task. */
export function isOfJob(job: Job, { plain }: CustomId): boolean {
  return plain.includes(imageIdOf(job)) || !/[0-9a-f]{8}-[0-9a-f]{4}-/.test(plain)
}

/** The id of the image, a UUID. */
function imageIdOf(job: Job): string {
  const hex = job.token('job', 32, '0123456789abcdef')
  const [one, two] = [hex.slice(0, 8), hex.slice(8, 12)]
  return `${one}-${two}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** A digit as a keycap, with which the drawing bot numbers lists. */
export function keycap(digit: number): string {
  return `${digit}\uFE0F\u20E3`
}

/** The `customId` of a request, parsed without its task. */
export interface CustomId {
  /** The complete id, as results contain it. */
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
