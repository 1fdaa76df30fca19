import * as z from 'zod/mini'
import type { Exchange } from '../../../gateway/exchange.ts'
import { planTask } from '../../../engine/tasks/plan-task.ts'
import type { Core } from '../../../gateway/core.ts'
import { may } from '../../../scenario/schema/fields.ts'
import { drawingSettings } from '../settings.ts'
import { drawingFacts, drawingLifecycle, drawingPace } from '../lifecycle.ts'
import { receiveMask } from '../images.ts'
import { idOf, readOptionalPrompt } from '../prompt.ts'
import { invalidDrawing } from '../refusals.ts'
import { drawingRequest, toFields } from '../result.ts'
import { failureOf } from '../task.ts'
import { answerDialog, type DialogAnswer } from './press.ts'
import { accept, defineSubmission, type SubmitBehaviour } from './submission.ts'
import { optionalImage, submissionForm, taskId } from './form.ts'

const form = submissionForm('ModalRequest', 'Answer a dialog.', () => ({
  taskId: taskId(),
  prompt: may(z.string(), 'A new prompt.'),
  maskBase64: optionalImage(),
}))

type ModalBody = z.output<typeof form.schema>

/** Answers a dialog, such as that of a local repaint (§4.6). The task that waits for it continues. */
export const mjModal = defineSubmission(
  {
    name: 'mj.modal',
    summary: 'Answer a dialog',
    ...drawingFacts('change', 'POST /mj/submit/modal'),
    task: 'body',
    form,
  },
  (core: Core): SubmitBehaviour<Awaited<ReturnType<typeof receiveMask>>, DialogAnswer, ModalBody> => {
    const settings = core.use(drawingSettings)

    return {
      action: ({ task }) => (task ? drawingRequest(task).action : 'INPAINT'),
      parent: ({ taskId }) => idOf(taskId),
      prepare: async (body, media) => {
        const { maskBase64 } = body
        const mask = await receiveMask(maskBase64, media, settings.imageLimitBytes)
        const identity = mask === undefined ? '' : 'digest' in mask ? mask.digest : mask.refused
        return { prepared: mask, fields: { ...body, maskBase64: identity } }
      },
      /** @assumed §4.6 the payload is undocumented; wire §7.3 and §7.8. */
      parse: ({ prepared: mask }, { prompt }) => {
        if (mask && 'refused' in mask) throw invalidDrawing('brokenImage', `maskBase64 ${mask.refused}`)
        return { prompt: readOptionalPrompt(prompt, settings), mask: mask?.digest }
      },
      respond: (x, answer) => {
        confirm(x, answer, core)
        return accept(x, x.task!.record.id, core)
      },
    }
  },
)

function confirm(x: Exchange, answer: DialogAnswer, core: Core): void {
  const { tasks, now, draws, decision } = x
  const lifecycle = tasks.lifecycle(drawingLifecycle.name)
  const task = x.task!
  const { state } = tasks.view(task, now)
  if (state !== 'MODAL') {
    throw invalidDrawing('parentState', `Task ${task.record.id} is ${state}: it waits for no dialog.`)
  }
  const request = drawingRequest(task)
  const { prompt } = answer
  if (!prompt && request.prompt.trim() === '') {
    throw invalidDrawing('prompt', 'The picture was made without a prompt; say what is to be seen.')
  }
  const { kind, drawing, prompts } = request
  const before = { kind, ...(drawing && { drawing }), ...(prompts && { prompts }) }
  const { version = request.version, seed = request.seed, mode = request.mode } = prompt?.flags ?? {}
  const { identity, occurrence } = task.record
  const shape = {
    ...drawingPace(mode, request.model, core.use(drawingSettings).timing),
    ...prompt?.shape,
    ...failureOf(prompt?.problem),
    ...decision.task,
  }
  const draw = (purpose: string): number => draws.unit(`mj.${purpose}`, identity, occurrence)
  const next = lifecycle.states['MODAL']!.to
  // The plan changes only if the answer or a rule changes it.
  const changesPlan =
    mode !== request.mode ||
    prompt?.problem !== undefined ||
    Object.keys({ ...prompt?.shape, ...decision.task }).length > 0
  tasks.confirm(task, {
    at: now,
    operation: 'mj.modal',
    request: toFields({
      ...answerDialog(before, answer, version),
      prompt: prompt?.prompt ?? request.prompt,
      version,
      seed,
      mode,
    }),
    ...(typeof next === 'string' && changesPlan && { plan: planTask(lifecycle, shape, draw, next) }),
  })
}
