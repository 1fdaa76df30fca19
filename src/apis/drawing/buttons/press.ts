import type { Context } from '../../../gateway/route.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { Button } from './buttons.ts'
import type { Parent } from '../images/parent.ts'
import { applyButton, type MakingPress } from './apply-button.ts'
import { drawingRequest } from '../shows.ts'
import { accepted, type CommonFields } from '../submit/submit-route.ts'
import { drawingId, type DrawingTasks } from '../task.ts'
import { aheadOf } from '../queue.ts'
import { createTask, makeTask, type TaskParams } from '../task-route.ts'
import { existsAlready, waitsForDialog } from '../words.ts'

/** Carries out the press of a button of a finished task. */
export function press(
  button: Button,
  parent: Parent,
  common: CommonFields,
  context: Context,
  tasks: DrawingTasks,
): Reply {
  const { settings } = tasks
  const { press: what } = button
  const id = parent.task.record.id
  /** @assumed §4.6 bookmarks are not shown; wire §7.7: no task is made. */
  if (what.does === 'bookmark') return accepted(id, context, settings)
  if (what.does === 'imagine-all') return imagineAll(parent, common, context, tasks)
  if (what.does === 'upscale' || what.does === 'take-film') {
    return pressOnce(button, what, parent, common, context, tasks)
  }
  const dialog = dialogOf(what, common.remix)
  const wish = wishOf(what, parent, tasks)
  if (!dialog) return makeTask(wish, common, context, tasks)
  const properties = { finalPrompt: wish.prompt, remix: true }
  const said = { code: dialog.code, description: waitsForDialog, properties }
  return makeTask({ ...wish, dialog: button.customId }, common, context, tasks, said)
}

/**
 * Which presses must be answered in a dialog first. The gateway reports those that can't do without as code 21, and
 * rewrites the others to 1.
 *
 * @assumed §4.6 dialogs are only named; wire §7.4 and §7.8.
 */
function dialogOf({ does }: MakingPress, remix: boolean): { code: 1 | 21 } | undefined {
  if (does === 'inpaint' || does === 'custom-zoom') return { code: 21 }
  return remix && (does === 'vary' || does === 'pan' || does === 'reroll') ? { code: 1 } : undefined
}

function wishOf(what: MakingPress, { task, request }: Parent, { settings }: DrawingTasks): TaskParams {
  return {
    version: request.version,
    flagged: request.mode,
    seed: undefined,
    ...applyButton(request, what, settings),
    parent: task.record.id,
  }
}

/**
 * One of four is taken once: whoever takes it again is told the task that has it.
 *
 * @assumed §2.4 a button that was used is not shown; wire §7.4, code 21, which the gateway rewrites to 1.
 */
function pressOnce(
  button: Button,
  what: MakingPress,
  parent: Parent,
  common: CommonFields,
  context: Context,
  tasks: DrawingTasks,
): Reply {
  const once = `${parent.task.record.id}/${button.customId}`
  const taken = takenBefore(once, context)
  if (!taken) return makeTask({ ...wishOf(what, parent, tasks), once }, common, context, tasks)
  const { state, id, imageUrl } = taken
  const properties = { status: state, imageUrl }
  return accepted(id, context, tasks.settings, { description: existsAlready, properties })
}

function takenBefore(
  once: string,
  context: Context,
): { id: string; state: string; imageUrl: string } | undefined {
  const { namespace, tasks, now, origin } = context
  for (let occurrence = namespace.acceptances.count(once) - 1; occurrence >= 0; occurrence--) {
    const id = drawingId(context, once, occurrence)
    const task = tasks.find(id)
    if (!task) continue
    const { state } = tasks.view(task, now)
    if (state === task.lifecycle.roles.failure) continue
    const isDone = state === task.lifecycle.roles.success && drawingRequest(task).drawing !== undefined
    return { id, state, imageUrl: isDone ? `${origin}/mj/image/${id}` : '' }
  }
  return undefined
}

/** Every prompt that was found is imagined; the answer names the first of the tasks, and lists all. */
function imagineAll(parent: Parent, common: CommonFields, context: Context, tasks: DrawingTasks): Reply {
  const prompts = parent.request.prompts ?? []
  // All of them or none: a refusal must leave nothing behind.
  aheadOf(context, tasks.queue, prompts.length)
  const ids = prompts.map((_prompt, index) => {
    const wish = wishOf({ does: 'imagine', prompt: index }, parent, tasks)
    return createTask(wish, common, context, tasks).record.id
  })
  return accepted(ids[0]!, context, tasks.settings, { properties: { tasks: ids } })
}
