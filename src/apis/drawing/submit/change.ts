import * as z from 'zod/mini'
import { must, named } from '../../../scenario/schema/fields.ts'
import { defineForm } from '../../define/form.ts'
import type { ComposeCall } from '../../jobs/compose/composed.ts'
import { buttonsOf } from '../buttons.ts'
import { quote } from '../../../engine/wording.ts'
import { invalidDrawing } from '../refusals.ts'
import { inputOf } from '../result.ts'
import { parentOf, pressButton } from './press.ts'
import { acceptPress, submission } from './submission.ts'
import {
  common,
  numberOf,
  refuseSubmission,
  required,
  submissionForm,
  taskId,
  type CommonBody,
} from './form.ts'

/** One of the channel's first three buttons, by name. */
interface Change {
  readonly action: (typeof actions)[number]
  /** The number of the image; 0 for a reroll. */
  readonly index: number
}

const actions = ['UPSCALE', 'VARIATION', 'REROLL'] as const
const actionSentence = required(
  'action_is_required',
  (value) => `action is ${quote(value)}; use UPSCALE, VARIATION or REROLL.`,
)
const indexSentence = required('index_is_required', (value) =>
  value === 0 ? 'index_is_required' : `index is ${quote(value)}; there are images 1 to 4.`,
)

const changeForm = defineForm(
  () =>
    named(
      'ChangeRequest',
      z.union([
        z.object({
          taskId: taskId(),
          action: z.enum(['UPSCALE', 'VARIATION'], actionSentence),
          index: must(numberOf([1, 2, 3, 4], indexSentence), 'The number of the image.'),
          ...common(),
        }),
        z.object({ taskId: taskId(), action: z.literal('REROLL'), ...common() }),
      ]),
      'Upscale, vary or redraw.',
    ),
  refuseSubmission,
)

/** Without regular expression flags, because a JSON Schema has none. */
const simpleChange = /^\s*(\d{1,20})\s+(?:([uUvV])([1-4])|[rR])\s*$/
const contentSentence = required(
  'content_is_required',
  () => 'content_parse_failed: Write a task id and what to do: "1320098173412546 U2", V1 to V4, or R.',
)

const simpleForm = submissionForm('SimpleChangeRequest', 'Upscale, vary or redraw, in two words.', () => ({
  content: must(
    z.string(contentSentence).check(z.regex(simpleChange, contentSentence)),
    'The id of a task and U1 to U4, V1 to V4 or R.',
    '1320098173412546 U2',
  ),
}))

/**
 * U and V transformations (§4.6).
 * @assumed §4.6 the payload is undocumented; wire §7.3 and §7.4.
 */
export const change = submission('submit', {
  path: 'change',
  summary: 'Upscale, vary or redraw',
  form: changeForm,
  action: ({ body: { action } }) => actions.find((each) => each === action) ?? 'VARIATION',
  ofJob: ({ taskId }) => taskId,
  make: (call) => carryOut(call, { index: 0, ...call.body }),
  reply: acceptPress,
})

/**
 * The same as two words, such as `1320098173412546 U2`.
 * @assumed §4.6 the call with two words is undocumented; wire §7.3.
 */
export const changeInWords = submission('submit', {
  path: 'simple-change',
  summary: 'Upscale, vary or redraw, in two words',
  form: simpleForm,
  action: ({ body: { content } }) => readContent(content)?.change.action ?? 'VARIATION',
  ofJob: ({ content }) => readContent(content)?.id,
  make: (call) => carryOut(call, readContent(call.body.content)!.change),
  reply: acceptPress,
})

function carryOut(call: ComposeCall<CommonBody>, { action, index }: Change): ReturnType<typeof pressButton> {
  const parent = parentOf(call)
  const label = action === 'REROLL' ? '' : `${action.slice(0, 1)}${index}`
  const button = buttonsOf(parent).find((each) => each.label === label)
  /** @assumed §4.6 which results can be changed is undocumented; wire §7.3. */
  if (inputOf(parent).kind !== 'grid' || !button?.press) {
    throw invalidDrawing('parentKind', `A result of ${parent.action} is no grid of four; use its buttons.`)
  }
  return pressButton(parent, { ...button, press: button.press }, call.body)
}

function readContent(content: unknown): { id: string; change: Change } | undefined {
  if (typeof content !== 'string') return undefined
  const [, id = '', letter = '', index = '0'] = simpleChange.exec(content) ?? []
  if (id === '') return undefined
  const action = letter === '' ? 'REROLL' : letter.toLowerCase() === 'u' ? 'UPSCALE' : 'VARIATION'
  return { id, change: { action, index: Number(index) } }
}
