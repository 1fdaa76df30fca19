import { drawingSettings } from '../settings.ts'
import type { Exchange } from '../../../gateway/exchange.ts'
import type { Reply } from '../../../gateway/replies/reply.ts'
import type { ApiDeps } from '../../define/operation.ts'
import type { Button } from '../buttons.ts'
import { drawingRequest } from '../result.ts'
import { countAhead, drawingId, type Parent } from '../task.ts'
import { applyButton, type SinglePress } from './apply-button.ts'
import { accept, createTask, submitTask, type CommonFields, type TaskParams } from './submission.ts'

/** Presses a button of a finished task. */
export function pressButton(
  x: Exchange,
  { customId, press }: Button,
  parent: Parent,
  common: CommonFields,
  deps: ApiDeps,
): Reply | TaskParams {
  /** @assumed §4.6 bookmarks are undocumented; wire §7.7: they create no task. */
  if (press.does === 'bookmark') return accept(x, parent.task.record.id, deps)
  if (press.does === 'imagine-all') return imagineAll(x, parent, common, deps)
  const params = paramsOf(press, parent, deps)
  if (press.does === 'upscale' || press.does === 'take-video') {
    const onceKey = `${parent.task.record.id}/${customId}`
    return acceptTaken(x, onceKey, deps) ?? { ...params, onceKey }
  }
  const code = dialogCode(press, common.remix)
  if (code === undefined) return params
  const properties = { finalPrompt: params.prompt, remix: true }
  // Clients look for the word `confirm` (wire §7.8).
  const answer = { code, description: 'Waiting for window confirm', properties }
  return submitTask(x, { ...params, dialog: customId }, common, deps, answer)
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

function paramsOf(press: SinglePress, { task, request }: Parent, { use }: ApiDeps): TaskParams {
  const { version, mode } = request
  return {
    version,
    flagged: mode,
    ...applyButton(request, press, use(drawingSettings)),
    parent: task.record.id,
  }
}

/**
 * Responds to a press whose image was taken before, with the id of the existing task.
 *
 * @assumed §2.4 a button that was used is undocumented; wire §7.4, code 21, which the gateway rewrites to 1.
 */
function acceptTaken(x: Exchange, onceKey: string, deps: ApiDeps): Reply | undefined {
  const { namespace, tasks, now, origin } = x
  for (let occurrence = namespace.acceptances.count(onceKey) - 1; occurrence >= 0; occurrence--) {
    const id = drawingId(x, onceKey, occurrence)
    const task = tasks.find(id)
    if (!task) continue
    const { state: status } = tasks.view(task, now)
    if (status === task.lifecycle.roles.failure) continue
    const isDone = status === task.lifecycle.roles.success && drawingRequest(task).drawing !== undefined
    const imageUrl = isDone ? `${origin}/mj/image/${id}` : ''
    return accept(x, id, deps, { description: '任务已存在', properties: { status, imageUrl } })
  }
  return undefined
}

/** Draws every prompt of a description. The response contains the id of the first task, and a list of all. */
function imagineAll(x: Exchange, parent: Parent, common: CommonFields, deps: ApiDeps): Reply {
  const prompts = parent.request.prompts ?? []
  // Creates all of them or none, because a refusal must have no effect.
  countAhead(x, deps, prompts.length)
  const ids = prompts.map((_prompt, index) => {
    const params = paramsOf({ does: 'imagine', prompt: index }, parent, deps)
    return createTask(x, params, common, deps).record.id
  })
  return accept(x, ids[0]!, deps, { properties: { tasks: ids } })
}
