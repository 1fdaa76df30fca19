import { DrawingRefusal, drawingError, invalidDrawing, refusalTexts } from '../refusals.ts'
import type { Route } from '../../../gateway/route.ts'
import { buttonNamed, isOfJob, type Button } from '../buttons/buttons.ts'
import { readCustomId, type CustomId } from '../buttons/custom-id.ts'
import { finishedParent, type Parent } from '../images/parent.ts'
import { press } from '../buttons/press.ts'
import { idOf } from '../images/prompt.ts'
import { submitRoute } from './submit-route.ts'
import type { DrawingTasks } from '../task.ts'
import type { Draws } from '../../../engine/random/draws.ts'
import type { DrawingAction } from '../words.ts'

/** The press of a button (§4.6: "Button actions such as upscale and variation"). */
export function actionRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return submitRoute<undefined, CustomId>(
    {
      operation: 'mj.action',
      action: ({ customId }) => actionOf(customId),
      parent: {
        inBody: ({ taskId }) => idOf(taskId),
        missing: ({ taskId, customId }) => {
          readCustomId(customId, settings.quirks)
          if (idOf(taskId) === undefined) throw drawingError(4, 'task_id_is_required')
        },
      },
      /** @assumed §4.6 the payload is not shown; wire §7.3 and §7.7. */
      validate: ({ customId }) => readCustomId(customId, settings.quirks),
      respond: (customId, common, context) => {
        const parent = finishedParent(context.task, context)
        return press(buttonOf(parent, customId, context.draws), parent, common, context, tasks)
      },
    },
    settings,
  )
}

function buttonOf(parent: Parent, customId: CustomId, draws: Draws): Button {
  const button = buttonNamed(parent.task, customId, draws)
  if (button) return button
  if (!isOfJob(parent.task, customId, draws)) {
    throw new DrawingRefusal(3, refusalTexts.parentGone).withHint('This button belongs to another picture.')
  }
  const { index } = customId
  if (index !== undefined && !(index >= 1 && index <= 4)) {
    throw invalidDrawing('parameter', `The button names picture ${index}; there are 1 to 4.`)
  }
  throw invalidDrawing('parentKind', `A result of ${parent.request.action} has no such button.`)
}

/** What a button does, as the gateway reads its name for billing (wire §7.7). */
function actionOf(customId: unknown): DrawingAction {
  const name = typeof customId === 'string' ? customId : ''
  return names.find(([part]) => name.includes(part))?.[1] ?? 'IMAGINE'
}

const names: readonly (readonly [string, DrawingAction])[] = [
  ['upsample', 'UPSCALE'],
  ['video_virtual_upscale', 'UPSCALE'],
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['variation', 'VARIATION'],
  ['pan_', 'PAN'],
  ['reroll', 'REROLL'],
  ['Outpaint', 'ZOOM'],
  ['CustomZoom', 'CUSTOM_ZOOM'],
  ['Inpaint', 'INPAINT'],
  ['animate', 'VIDEO'],
  ['Picread', 'DESCRIBE'],
]
