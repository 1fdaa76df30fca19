import * as z from 'zod/mini'
import type { Draws } from '../../../engine/random/draws.ts'
import type { Core } from '../../../gateway/core.ts'
import { must } from '../../../scenario/schema/fields.ts'
import { drawingFacts } from '../lifecycle.ts'
import { findButton, isOfJob, readCustomId, type CustomId } from '../buttons.ts'
import { idOf } from '../prompt.ts'
import { DrawingRefusal, invalidDrawing, refusalTexts } from '../refusals.ts'
import type { DrawingAction } from '../result.ts'
import { requireParent, type Parent } from '../task.ts'
import { pressButton, type PressedButton } from './press.ts'
import { defineSubmission } from './submission.ts'
import { submissionForm, taskId } from './form.ts'

const customIdSentence = 'Invalid request: custom_id_is_required'
const form = submissionForm('ActionRequest', 'Press a button.', () => ({
  customId: must(
    z.string(customIdSentence).check(z.minLength(1, customIdSentence)),
    'The id of a button of the task.',
  ),
  taskId: taskId(),
}))

/** Presses a button (§4.6: "Button actions such as upscale and variation"). */
export const mjAction = defineSubmission(
  {
    name: 'mj.action',
    summary: 'Press a button',
    ...drawingFacts('submit', 'POST /mj/submit/action'),
    task: 'body',
    form,
  },
  (core: Core) => ({
    action: ({ body: { customId } }) => actionOf(customId),
    parent: ({ taskId }) => idOf(taskId),
    /** @assumed §4.6 the payload is undocumented; wire §7.3 and §7.7. */
    parse: (_x, { customId }) => readCustomId(customId),
    respond: (x, customId, common) => {
      const parent = requireParent(x.task, x)
      const button = buttonOf(parent, customId, x.draws)
      return pressButton(x, button, parent, common, core)
    },
  }),
)

function buttonOf(parent: Parent, customId: CustomId, draws: Draws): PressedButton {
  const button = findButton(parent.task, customId, draws)
  if (button?.press) return { customId: button.customId, press: button.press }
  if (!isOfJob(parent.task, customId, draws)) {
    throw new DrawingRefusal(3, refusalTexts.parentGone).withHint('This button belongs to another picture.')
  }
  const { index } = customId
  if (index !== undefined && !(index >= 1 && index <= 4)) {
    throw invalidDrawing('parameter', `The button names picture ${index}; there are 1 to 4.`)
  }
  throw invalidDrawing('parentKind', `A result of ${parent.request.action} has no such button.`)
}

/** The action of a button, as the gateway reads it from the id for billing (wire §7.7). */
function actionOf(customId: unknown): DrawingAction {
  const id = typeof customId === 'string' ? customId : ''
  return actions.find(([part]) => id.includes(part))?.[1] ?? 'IMAGINE'
}

const actions: readonly (readonly [string, DrawingAction])[] = [
  ['upsample', 'UPSCALE'],
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['variation', 'VARIATION'],
  ['pan_', 'PAN'],
  ['reroll', 'REROLL'],
  ['Outpaint', 'ZOOM'],
  ['CustomZoom', 'CUSTOM_ZOOM'],
  ['Inpaint', 'INPAINT'],
  ['Picread', 'DESCRIBE'],
]
