import type { Context, Route } from '../../../gateway/route.ts'
import { planTask } from '../../../engine/tasks/plan-task.ts'
import { receiveMask } from '../images/images.ts'
import { drawingPace } from '../pace.ts'
import { idOf, readOptionalPrompt, type DrawingPrompt } from '../images/prompt.ts'
import { answered } from '../buttons/apply-button.ts'
import { drawingError, invalidDrawing } from '../refusals.ts'
import { asFields, drawingRequest } from '../shows.ts'
import { accepted, submitRoute } from './submit-route.ts'
import { failing, type DrawingTasks } from '../task.ts'

type Mask = Awaited<ReturnType<typeof receiveMask>>

interface Answer {
  readonly prompt: DrawingPrompt | undefined
  readonly mask: string | undefined
}

/** The answer to a dialog, such as that of a local repaint (§4.6). The task that waited goes on. */
export function modalRoute(tasks: DrawingTasks): Route {
  const { settings } = tasks
  return submitRoute<Mask, Answer>(
    {
      operation: 'mj.modal',
      action: (_body, task) => (task ? drawingRequest(task).action : 'INPAINT'),
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
        confirm(answer, context, tasks)
        return accepted(context.task!.record.id, context, settings)
      },
    },
    settings,
  )
}

function confirm({ prompt, mask }: Answer, context: Context, { settings, lifecycle }: DrawingTasks): void {
  const { tasks, now, draws } = context
  const task = context.task!
  const { state } = tasks.view(task, now)
  if (state !== 'MODAL') {
    throw invalidDrawing('parentState', `Task ${task.record.id} is ${state}: it waits for no dialog.`)
  }
  const request = drawingRequest(task)
  if (!prompt && request.prompt.trim() === '') {
    throw invalidDrawing('prompt', 'The picture was made without a prompt; say what is to be seen.')
  }
  const { kind, drawing, prompts, films } = request
  const before = {
    kind,
    ...(drawing && { drawing }),
    ...(prompts && { prompts }),
    ...(films && { films }),
  }
  const { version = request.version, seed = request.seed, mode = request.mode } = prompt?.flags ?? {}
  const shows = answered(before, { prompt, mask }, version)
  const text = prompt?.prompt ?? request.prompt
  const { identity, occurrence } = task.record
  const shape = {
    ...drawingPace(mode, request.model, settings.timing),
    ...prompt?.shape,
    ...failing(prompt?.problem),
    ...context.decision.task,
  }
  const draw = (purpose: string): number => draws.unit(`mj.${purpose}`, identity, occurrence)
  const after = lifecycle.states['MODAL']!.to
  // An answer with wishes of its own changes what was planned.
  const isPlain = !prompt?.problem && Object.keys({ ...prompt?.shape, ...context.decision.task }).length === 0
  const anew = typeof after === 'string' && (!isPlain || mode !== request.mode)
  tasks.confirm(task, {
    at: now,
    operation: 'mj.modal',
    request: asFields({ ...shows, prompt: text, version, seed, mode }),
    ...(anew && { plan: planTask(lifecycle, shape, draw, after) }),
  })
}
