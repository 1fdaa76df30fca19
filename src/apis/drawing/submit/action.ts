import * as z from 'zod/mini'
import { must } from '../../../scenario/schema/fields.ts'
import type { Job } from '../../jobs/job/job.ts'
import { findButton, isOfJob, readCustomId, type Button, type CustomId, type Press } from '../buttons.ts'
import { DrawingRefusal, invalidDrawing, refusalTexts } from '../refusals.ts'
import type { DrawingAction } from '../result.ts'
import { parentOf, pressButton } from './press.ts'
import { acceptPress, submission } from './submission.ts'
import { submissionForm, taskId } from './form.ts'

const customIdSentence = 'Invalid request: custom_id_is_required'
const form = submissionForm('ActionRequest', 'Press a button.', () => ({
  customId: must(
    z.string(customIdSentence).check(z.minLength(1, customIdSentence)),
    'The id of a button of the task.',
  ),
  taskId: taskId(),
}))

/**
 * Presses a button (§4.6: "Button actions such as upscale and variation").
 * @assumed §4.6 the payload is undocumented; wire §7.3 and §7.7.
 */
export const action = submission('submit', {
  path: 'action',
  summary: 'Press a button',
  form,
  action: ({ body: { customId } }) => actionOf(customId),
  ofJob: ({ taskId }) => taskId,
  make: (call) => {
    const customId = readCustomId(call.body.customId)
    const parent = parentOf(call)
    return pressButton(parent, buttonOf(parent, customId), call.body)
  },
  reply: acceptPress,
})

function buttonOf(parent: Job, customId: CustomId): Button & { readonly press: Press } {
  const button = findButton(parent, customId)
  if (button?.press) return { ...button, press: button.press }
  if (!isOfJob(parent, customId)) {
    throw new DrawingRefusal(3, refusalTexts.parentGone).withHint('This button belongs to another picture.')
  }
  const { index } = customId
  if (index !== undefined && !(index >= 1 && index <= 4)) {
    throw invalidDrawing('parameter', `The button names picture ${index}; there are 1 to 4.`)
  }
  throw invalidDrawing('parentKind', `A result of ${parent.action} has no such button.`)
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
