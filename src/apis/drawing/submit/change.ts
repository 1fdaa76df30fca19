import * as z from 'zod/mini'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { Core } from '../../../gateway/core.ts'
import { must, named } from '../../../scenario/schema/fields.ts'
import { defineForm } from '../../define/form.ts'
import { drawingFacts } from '../lifecycle.ts'
import { buttonsOf, type Press } from '../buttons.ts'
import { idOf } from '../prompt.ts'
import { quote } from '../../../engine/wording.ts'
import { invalidDrawing } from '../refusals.ts'
import { requireParent } from '../task.ts'
import { pressButton } from './press.ts'
import { defineSubmission, type CommonFields, type TaskParams, type SubmitBehaviour } from './submission.ts'
import { common, numberOf, refuseSubmission, required, submissionForm, taskId } from './form.ts'

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

/** U and V transformations (§4.6). */
export const mjChange = defineSubmission(
  {
    name: 'mj.change',
    summary: 'Upscale, vary or redraw',
    ...drawingFacts('submit', 'POST /mj/submit/change'),
    task: 'body',
    form: changeForm,
  },
  (core: Core): SubmitBehaviour<undefined, Change, z.output<typeof changeForm.schema>> => ({
    action: ({ body: { action } }) => actions.find((each) => each === action) ?? 'VARIATION',
    parent: ({ taskId }) => idOf(taskId),
    /** @assumed §4.6 the payload is undocumented; wire §7.3 and §7.4. */
    parse: (_x, body) => ({ index: 0, ...body }),
    respond: (x, change, common) => carryOut(x, change, common, core),
  }),
)

/**
 * The same as two words, such as `1320098173412546 U2`.
 * @assumed §4.6 the call with two words is undocumented; wire §7.3.
 */
export const mjSimpleChange = defineSubmission(
  {
    name: 'mj.simple-change',
    summary: 'Upscale, vary or redraw, in two words',
    ...drawingFacts('submit', 'POST /mj/submit/simple-change'),
    task: 'body',
    form: simpleForm,
  },
  (core: Core): SubmitBehaviour<undefined, Change, z.output<typeof simpleForm.schema>> => ({
    action: ({ body: { content } }) => readContent(content)?.change.action ?? 'VARIATION',
    parent: ({ content }) => readContent(content)?.id,
    parse: (_x, { content }) => readContent(content)!.change,
    respond: (x, change, common) => carryOut(x, change, common, core),
  }),
)

function carryOut(x: Exchange, change: Change, common: CommonFields, core: Core): Reply | TaskParams {
  const parent = requireParent(x.task, x)
  const button = buttonsOf(parent.task, x.draws).find(({ press }) => press && isPressOf(change, press))
  /** @assumed §4.6 which results can be changed is undocumented; wire §7.3. */
  if (parent.request.kind !== 'grid' || !button?.press) {
    throw invalidDrawing(
      'parentKind',
      `A result of ${parent.request.action} is no grid of four; use its buttons.`,
    )
  }
  return pressButton(x, { customId: button.customId, press: button.press }, parent, common, core)
}

function isPressOf({ action, index }: Change, press: Press): boolean {
  if (action === 'UPSCALE') return press.does === 'upscale' && press.tile === index
  if (action === 'VARIATION') return press.does === 'vary' && press.tile === index
  return press.does === 'reroll'
}

function readContent(content: unknown): { id: string; change: Change } | undefined {
  if (typeof content !== 'string') return undefined
  const [, id = '', letter = '', index = '0'] = simpleChange.exec(content) ?? []
  if (id === '') return undefined
  const action = letter === '' ? 'REROLL' : letter.toLowerCase() === 'u' ? 'UPSCALE' : 'VARIATION'
  return { id, change: { action, index: Number(index) } }
}
