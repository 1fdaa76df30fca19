import type { Context, Route } from '../../../gateway/route.ts'
import { receiveMask } from '../images.ts'
import { idOf, readOptionalPrompt, type DrawingPrompt } from '../prompt.ts'
import { answered } from '../pressed.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { asFields, drawingRequest, isDrawing } from '../shows.ts'
import { accepted, submitRoute } from '../submit-route.ts'
import type { DrawingTasks } from '../task.ts'

type Mask = Awaited<ReturnType<typeof receiveMask>>

interface Answer {
  readonly prompt: DrawingPrompt | undefined
  readonly mask: string | undefined
}

/** The answer to a dialog, such as that of a local repaint (§4.6). The task that waited goes on. */
export function modalRoute({ settings }: DrawingTasks): Route {
  return submitRoute<Mask, Answer>(
    {
      operation: 'mj.modal',
      path: 'submit/modal',
      action: (_body, task) => (task && isDrawing(task) ? drawingRequest(task).action : 'INPAINT'),
      parent: {
        inBody: ({ taskId }) => idOf(taskId),
        missing: ({ taskId }) => {
          if (idOf(taskId) === undefined) throw drawingError(4, 'task_id_is_required')
        },
      },
      prepare: async (body, media) => {
        const mask = await receiveMask(body['maskBase64'], media, settings.imageLimitBytes)
        const meant = mask === undefined ? '' : 'digest' in mask ? mask.digest : mask.refused
        return { prepared: mask, fields: { ...body, maskBase64: meant } }
      },
      /** @assumed §4.6 the payload is not shown; wire §7.3 and §7.8. */
      validate: ({ prompt }, mask) => {
        if (mask && 'refused' in mask) throw invalidDrawing('brokenImage', `maskBase64 ${mask.refused}`)
        return { prompt: readOptionalPrompt(prompt, settings), mask: mask?.digest }
      },
      respond: (answer, _common, context) => {
        confirm(answer, context)
        return accepted(context.task!.record.id, context, settings)
      },
    },
    settings,
  )
}

function confirm(answer: Answer, context: Context): void {
  const { tasks, now } = context
  const task = context.task!
  if (!isDrawing(task)) throw drawingError(4, 'task_not_found')
  const { state } = tasks.view(task, now)
  if (state !== 'MODAL') {
    throw invalidDrawing('parentState', `Task ${task.record.id} is ${state}: it waits for no dialog.`)
  }
  const request = drawingRequest(task)
  const { kind, drawing, prompts, films } = request
  const shows = answered(
    { kind, ...(drawing && { drawing }), ...(prompts && { prompts }), ...(films && { films }) },
    answer,
  )
  const prompt = answer.prompt?.prompt ?? request.prompt
  tasks.confirm(task, { at: now, operation: 'mj.modal', request: asFields({ ...shows, prompt }) })
  if (answer.prompt?.problem === undefined) return
  const going = tasks.find(task.record.id)!
  tasks.transition(going, {
    at: now,
    state: going.lifecycle.roles.failure,
    reason: answer.prompt.problem,
    cause: 'request',
  })
}
